/**
 * Another publisher created the name of a publish during the request. Nothing was changed. Answer
 * 403 with the message.
 */
export class NameTakenError extends Error {
  override readonly name = "NameTakenError";
  readonly code = "name-taken";

  constructor(takenName: string) {
    super(`Another publisher has just created ${takenName}, and only its owners publish it.`);
  }
}
