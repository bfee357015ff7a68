import type { Caller, Protocol } from "@sealhouse/request-types";

/** Severity of advisories: low, moderate, high, critical. */
export type PolicySeverity = 0 | 1 | 2 | 3;

/** Names of severities, in order. */
export const SEVERITIES = ["low", "moderate", "high", "critical"] as const;

/** Further conditions of a rule; a version must meet all of them. */
export type RuleConditions = {
  /** SPDX identifiers; `*` matches any characters. */
  readonly licenses?: readonly string[];
  /** npm: scripts that run at installation. */
  readonly hasInstallScripts?: true;
  /** The least severity of an advisory on the version. */
  readonly severity?: PolicySeverity;
};

/**
 * A rule of an administrator about versions. `deny` refuses them. `allow` is an exception: to the
 * least age of a source's versions, and to all rules that deny.
 */
export type PolicyRule = {
  /** A UUID. */
  readonly id: string;
  readonly effect: "deny" | "allow";
  readonly protocol: Protocol;
  /** As in tokens: `left-pad`, `@acme/*`, `Acme.*`, `team/**`. */
  readonly pattern: string;
  /** A version or a range in the notation of the protocol; empty: all versions. */
  readonly versions: string;
  readonly conditions: RuleConditions;
  /** For the people whose client is refused a version. */
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
};

/** Rows of rules. Each change and its event are one transaction. */
export interface PolicyRules {
  /** All rules, also expired ones; oldest first. */
  list(): Promise<readonly PolicyRule[]>;
  add(rule: PolicyRule, caller: Caller): Promise<void>;
  remove(id: string, caller: Caller): Promise<"removed" | "absent">;
}

/** Versions of sources whose publish date is unknown. */
export interface FirstSeen {
  /** Returns when each version was first noted; notes those that are new. `source`: `contentKeyOf`
   * the source. */
  note(
    source: string,
    name: string,
    versions: readonly string[],
  ): Promise<ReadonlyMap<string, Date>>;
}
