import type { GroupProblem, Teams } from "@sealhouse/identity";

/** Rows of teams. */
export type TeamRows = { readonly teams: Teams };

export type TeamParts = {
  /** Returns why a text cannot be the group of a team, as the end of a sentence. */
  readonly groupProblem: GroupProblem;
};
