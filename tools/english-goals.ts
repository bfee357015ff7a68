// The goals of docs/style.md for each kind of text: shares in percent, hits per 1,000 words.

export type EnglishGoal = {
  /** Most sentences of over 25 words. */
  readonly long: number;
  /** Most sentences in the passive voice. */
  readonly passive: number;
  /** Most hits of the rules in english-rules.ts. */
  readonly hits: number;
};

export const ENGLISH_GOALS: Readonly<Record<string, EnglishGoal>> = {
  page: { long: 5, passive: 20, hits: 1 },
  decision: { long: 10, passive: 25, hits: 2 },
  readme: { long: 5, passive: 20, hits: 1 },
  changeset: { long: 5, passive: 20, hits: 1 },
  docstring: { long: 2, passive: 15, hits: 1 },
  comment: { long: 2, passive: 20, hits: 1 },
  string: { long: 0, passive: 15, hits: 0 },
  "test name": { long: 0, passive: 15, hits: 1 },
  all: { long: 2, passive: 15, hits: 1 },
};
