/**
 * The token of a request belongs to a build job that may only publish existing names. Nothing was
 * changed. Answer 403 with the message.
 */
export class NewNameError extends Error {
  override readonly name = "NewNameError";
  readonly code = "new-name-refused";

  constructor() {
    super(
      "The name does not exist yet, and the pipeline may not create names. An operator can allow " +
        "it: sealhouse pipeline add --may-create",
    );
  }
}
