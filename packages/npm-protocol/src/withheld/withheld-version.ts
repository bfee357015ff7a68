/** A version that the rules of the registry hold back or deny. */
export type WithheldVersion = {
  readonly version: string;
  /** Why, until when and whom to ask. */
  readonly text: string;
};
