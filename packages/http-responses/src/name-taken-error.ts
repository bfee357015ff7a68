/**
 * The name of a publish belongs to other owners: another publisher created it during the request,
 * or the owners removed this one. Nothing was changed. Answer 403 with the message.
 */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
  readonly code = "name-taken";

  constructor(takenName: string) {
    super(`${takenName} belongs to other owners, and only they publish it.`);
  }
}
