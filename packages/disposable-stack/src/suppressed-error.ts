/** An error of a disposal that replaced an earlier error; contains both. */
export function suppressedError(error: unknown, suppressed: unknown): Error {
  const message = "An error was suppressed during disposal.";
  if ("SuppressedError" in globalThis) return new SuppressedError(error, suppressed, message);
  const both = Object.assign(new Error(message), { error, suppressed });
  both.name = "SuppressedError";
  return both;
}
