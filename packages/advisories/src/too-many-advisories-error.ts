/** A source has more advisories than a registry records; it records none of them. */
export class TooManyAdvisoriesError extends Error {
  override readonly name = "TooManyAdvisoriesError";

  /** `ecosystem` is the name that people know: `NuGet`. */
  constructor(source: string, ecosystem: string, max: number) {
    super(
      `${source} has more than ${max} advisories about ${ecosystem} packages, ` +
        "so none of them was imported.",
    );
  }
}
