/**
 * Somebody else created the name of a publish while it was under way. Nothing was changed. Answer
 * 403 with the message.
 */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
  readonly code = "name-taken";

  constructor(takenName: string) {
    super(`Somebody else has just published ${takenName} first, and only its owners publish it.`);
  }
}
