/** A signed statement of a release, as it was signed. */
export type SignedStatement = {
  /** The in-toto statement, JSON; these bytes were signed. */
  readonly statement: string;
  /** Base64; of the DSSE pre-authentication encoding of the statement. */
  readonly envelopeSignature: string;
  /** Base64; of the statement itself, for `cosign verify-blob`. */
  readonly plainSignature: string;
  /** Id of the key, for verifiers. */
  readonly keyId: string;
  /** PEM. */
  readonly publicKey: string;
};
