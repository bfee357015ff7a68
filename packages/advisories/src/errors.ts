/**
 * A source of advisories cannot be read. The message names the source and the reason. What was
 * imported from it before is kept.
 */
export class AdvisorySourceError extends Error {
  override readonly name: string = "AdvisorySourceError";
}

/** A source has more advisories than a registry records; none of them is imported. */
export class TooManyAdvisoriesError extends AdvisorySourceError {
  override readonly name = "TooManyAdvisoriesError";

  /** `ecosystem` is the name that people know: `NuGet`. */
  constructor(source: string, ecosystem: string, max: number) {
    super(
      `${source} has more than ${max} advisories about ${ecosystem} packages, ` +
        "so none of them was imported.",
    );
  }
}

/** The reason of a failure for people. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it took too long";
  return error.message || error.name;
}
