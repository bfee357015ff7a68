/** Why an archive is refused; the README has the table. */
export type ZipProblem =
  | "not-a-zip"
  | "truncated"
  | "multi-disk"
  | "zip64"
  | "too-many-entries"
  | "directory-too-large"
  | "entry-out-of-range"
  | "gap";

/** The file is not a ZIP archive, or one that different readers could understand differently. */
export class ZipError extends Error {
  override readonly name = "ZipError";
  readonly code = "zip-refused";
  readonly problem: ZipProblem;

  constructor(problem: ZipProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
