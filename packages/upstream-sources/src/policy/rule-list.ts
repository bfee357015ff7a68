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

/** A list that is read again on demand. */
export type RefreshableRuleList = RuleList & {
  /** Makes the next call of `current` read the database. */
  refresh(): void;
};

const CURRENT_FOR_MS = 2_000;

/** Reads rules every two seconds at most. While the database fails, the last rules stay. */
export function createRuleList({
  stored,
  now,
}: {
  readonly stored: Pick<PolicyRules, "list">;
  readonly now: () => Date;
}): RefreshableRuleList {
  let last: { readonly set: RuleSet; readonly at: number } | undefined;
  let reading: Promise<RuleSet> | undefined;
  let changes = 0;
  const read = async () => {
    const before = changes;
    try {
      const found = ruleSetOf(await stored.list());
      const set = last?.set.revision === found.revision ? last.set : found;
      const at = changes === before ? now().getTime() : -Infinity;
      if (changes === before || !last) last = { set, at };
      return set;
    } catch (error) {
      if (last) return last.set;
      throw error;
    } finally {
      if (changes === before) reading = undefined;
    }
  };
  const known = () => (last && now().getTime() - last.at < CURRENT_FOR_MS ? last.set : undefined);
  return {
    known,
    current() {
      const set = known();
      if (set) return Promise.resolve(set);
      reading ??= read();
      return reading;
    },
    refresh() {
      changes += 1;
      reading = undefined;
      if (last) last = { ...last, at: -Infinity };
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
