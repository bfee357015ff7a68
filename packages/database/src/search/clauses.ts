/** Consecutive words in one of the fields; with `prefix` the last word may be incomplete. */
export type Phrase<Field extends string> = {
  readonly fields: readonly Field[];
  readonly words: readonly string[];
  readonly prefix: boolean;
};

/** One of these must be there; none can be when there are none. */
export type Clause<Field extends string> = readonly Phrase<Field>[];

/** The columns of an index of words, by field. Words have a space before and after them. */
export type WordColumns<Field extends string> = Readonly<Record<Field, string>>;
