import { createHash } from "node:crypto";
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

const CURRENT_FOR_MS = 2_000;

/** Reads rules every two seconds at most. While the database fails, the last rules stay. */
export function createRuleList({
  stored,
  now,
}: {
  readonly stored: Pick<PolicyRules, "list">;
  readonly now: () => Date;
}): RuleList {
  let last: { readonly set: RuleSet; readonly at: number } | undefined;
  let reading: Promise<RuleSet> | undefined;
  const refresh = async () => {
    try {
      const read = ruleSetOf(await stored.list());
      const set = last?.set.revision === read.revision ? last.set : read;
      last = { set, at: now().getTime() };
      return set;
    } catch (error) {
      if (last) return last.set;
      throw error;
    } finally {
      reading = undefined;
    }
  };
  const known = () => (last && now().getTime() - last.at < CURRENT_FOR_MS ? last.set : undefined);
  return {
    known,
    current() {
      const set = known();
      if (set) return Promise.resolve(set);
      reading ??= refresh();
      return reading;
    },
  };
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
