import { createHash } from "node:crypto";
import { createRefreshed } from "../refreshed.ts";
import type { PolicyRule, PolicyRules } from "./policy-rule.ts";

/** Rules that apply now. `revision` changes with them. */
export type RuleSet = { readonly revision: string; readonly rules: readonly PolicyRule[] };

/** The rules of the database, for decisions. */
export interface RuleList {
  /** At most two seconds old; undefined when they must be read first. */
  known(): RuleSet | undefined;
  /** Reads them when they are older than two seconds. */
  current(): Promise<RuleSet>;
}

/** A list that is read again on demand. */
export type RefreshableRuleList = RuleList & {
  /** Makes the next call of `current` read the database. */
  refresh(): void;
};

/** Reads rules every two seconds at most. While the database fails, the last rules stay. */
export function createRuleList({
  stored,
  now,
}: {
  readonly stored: Pick<PolicyRules, "list">;
  readonly now: () => Date;
}): RefreshableRuleList {
  return createRefreshed<RuleSet>(async (last) => {
    const found = ruleSetOf(await stored.list());
    return last?.revision === found.revision ? last : found;
  }, now);
}

/** Rules without a database. */
export const NO_RULES: RuleList = {
  known: () => EMPTY,
  current: () => Promise.resolve(EMPTY),
};

const EMPTY: RuleSet = ruleSetOf([]);

function ruleSetOf(rules: readonly PolicyRule[]): RuleSet {
  const ids = rules.map(({ id }) => id).join("\n");
  return { rules, revision: createHash("sha256").update(ids).digest("hex") };
}
