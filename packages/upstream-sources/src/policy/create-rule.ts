import { checkPatterns } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { PolicyRule, PolicySeverity, RuleConditions } from "./policy-rule.ts";
import { SEVERITIES } from "./policy-rule.ts";
import { parseVersionSpan } from "./version-span.ts";

/** Protocols whose documents and files follow rules. */
export const GOVERNED_PROTOCOLS: readonly Protocol[] = ["npm", "nuget", "oci"];

/** A new rule as texts. */
export type RuleTexts = {
  readonly effect: PolicyRule["effect"];
  readonly protocol: string;
  readonly pattern: string;
  readonly versions?: string | undefined;
  readonly licenses?: readonly string[] | undefined;
  readonly hasInstallScripts?: true | undefined;
  readonly severity?: string | undefined;
  readonly reason: string;
  /** A date or a time, in ISO 8601. */
  readonly expires?: string | undefined;
};

/** A part of a rule that a problem is about. */
export type RulePart =
  | "protocol"
  | "pattern"
  | "versions"
  | "installScripts"
  | "severity"
  | "reason"
  | "expires";

/** Result of a change of a rule. */
export type RuleOutcome =
  | { readonly status: "created"; readonly rule: PolicyRule }
  | { readonly status: "refused"; readonly part: RulePart; readonly words: string };

const REASON_MAX = 500;
const EXPIRY = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/;
const LICENSES_MAX = 100;

/** Creates a rule, or returns the first problem for the person who adds it. */
export function createRule(
  texts: RuleTexts,
  { id, createdBy, now }: { readonly id: string; readonly createdBy: string; readonly now: Date },
): RuleOutcome {
  const { effect, pattern, versions = "" } = texts;
  const protocol = GOVERNED_PROTOCOLS.find((governed) => governed === texts.protocol);
  if (!protocol) {
    const words = `must be one of: ${GOVERNED_PROTOCOLS.join(", ")}. Rules apply to no others yet.`;
    return refused("protocol", words);
  }
  if (!isPattern(pattern)) {
    return refused("pattern", "must be a name or a pattern, such as left-pad or @acme/*.");
  }
  if (!parseVersionSpan(protocol, versions)) {
    return refused("versions", `"${versions}" is not a version or a range of ${protocol}.`);
  }
  const foreign = foreignCondition(protocol, texts);
  if (foreign) return foreign;
  const severity = severityIn(texts.severity);
  if (texts.severity !== undefined && severity === undefined) {
    return refused("severity", `must be one of: ${SEVERITIES.join(", ")}.`);
  }
  const reason = texts.reason.trim();
  // oxlint-disable-next-line no-control-regex
  if (/[^\P{Cc}\t\r\n]/u.test(reason))
    return refused("reason", "must not have control characters.");
  if (reason === "" || reason.length > REASON_MAX) {
    return refused("reason", `must have 1 to ${REASON_MAX} characters.`);
  }
  const expiresAt = texts.expires === undefined ? undefined : expiryIn(texts.expires, now);
  if (texts.expires !== undefined && !expiresAt) {
    return refused("expires", "must be a date in the future, such as 2027-01-31.");
  }
  const conditions = conditionsOf(texts, severity);
  const about = { id, effect, protocol, pattern, versions, conditions, reason };
  return {
    status: "created",
    rule: { ...about, createdBy, createdAt: now, ...(expiresAt && { expiresAt }) },
  };
}

function refused(part: RulePart, words: string): RuleOutcome {
  return { status: "refused", part, words };
}

/** Returns the refusal of a condition that the versions of a protocol never meet. */
function foreignCondition(
  protocol: Protocol,
  { hasInstallScripts, licenses, severity }: RuleTexts,
): RuleOutcome | undefined {
  if (hasInstallScripts && protocol !== "npm") {
    return refused("installScripts", `is for npm; packages of ${protocol} have no such scripts.`);
  }
  if (protocol !== "oci" || (!licenses && severity === undefined)) return undefined;
  return refused("protocol", "oci has no licenses or advisories; deny names and versions.");
}

function conditionsOf(
  { licenses = [], hasInstallScripts }: RuleTexts,
  severity: PolicySeverity | undefined,
): RuleConditions {
  const ids = licenses.flatMap((list) => list.split(",")).map((id) => id.trim());
  const known = ids.filter((id) => id !== "").slice(0, LICENSES_MAX);
  return {
    ...(known.length > 0 && { licenses: known }),
    ...(hasInstallScripts && { hasInstallScripts }),
    ...(severity !== undefined && { severity }),
  };
}

function isPattern(pattern: string): boolean {
  try {
    checkPatterns([pattern]);
    return true;
  } catch {
    return false;
  }
}

function severityIn(text: string | undefined): PolicySeverity | undefined {
  const index = SEVERITIES.findIndex((severity) => severity === text);
  return index === -1 ? undefined : (index as PolicySeverity);
}

function expiryIn(text: string, now: Date): Date | undefined {
  const time = EXPIRY.test(text) ? new Date(text) : undefined;
  return time && time > now ? time : undefined;
}
