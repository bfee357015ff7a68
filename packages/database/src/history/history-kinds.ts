/** The kinds of facts that have a history. */
export const HISTORY_KINDS = [
  "version",
  "listing",
  "deprecation",
  "tag",
  "owners",
  "visibility",
] as const;

/** The kind of a fact. A version without a fact of the kind `listing` is listed. */
export type HistoryKind = (typeof HISTORY_KINDS)[number];
