/**
 * A source of advisories is not readable. The message names the source and the reason. Advisories
 * of its last import remain.
 */
export class AdvisorySourceError extends Error {
  override readonly name: string = "AdvisorySourceError";
  readonly code: "advisory-source" | "too-many-advisories" = "advisory-source";
}

/** A source has more advisories than a registry stores; nothing is imported. */
export class TooManyAdvisoriesError extends AdvisorySourceError {
  override readonly name = "TooManyAdvisoriesError";
  override readonly code = "too-many-advisories";

  /** `ecosystem` is the name that people know: `NuGet`. */
  constructor(source: string, ecosystem: string, max: number) {
    super(
      `${source} has more than ${max} advisories about ${ecosystem} packages, ` +
        "so nothing was imported.",
    );
  }
}

/** The reason of a failure for people. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "it took too long";
  return error.message || error.name;
}
