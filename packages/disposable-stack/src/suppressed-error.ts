/** What a disposal throws when an error was already on its way: both. */
export function suppressedError(error: unknown, suppressed: unknown): Error {
  const message = "An error was suppressed during disposal.";
  if ("SuppressedError" in globalThis) return new SuppressedError(error, suppressed, message);
  const both = Object.assign(new Error(message), { error, suppressed });
  both.name = "SuppressedError";
  return both;
}
