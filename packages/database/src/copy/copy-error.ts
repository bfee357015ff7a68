/** A copy of a database that was refused or is not complete. */
export class CopyError extends Error {
  override readonly name = "CopyError";
  readonly code: "target-not-empty" | "rows-differ";

  constructor(code: CopyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}
