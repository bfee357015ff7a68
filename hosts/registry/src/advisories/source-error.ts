/** A source of advisories cannot be read; the message says which and why. What was imported from it
 * before is kept. */
export class AdvisorySourceError extends Error {
  override readonly name = "AdvisorySourceError";
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it took too long";
  return error.message || error.name;
}
