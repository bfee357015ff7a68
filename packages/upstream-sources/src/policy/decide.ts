import { coversName } from "@sealhouse/identity";
import { parseVersionSpan } from "./version-span.ts";
import type { VersionSpan } from "./version-span.ts";
import { requiresLicense } from "./license-expression.ts";
import type { PolicyRule, RuleConditions } from "./policy-rule.ts";
import { deniedText, heldText } from "./policy-texts.ts";
import { MINIMUM_RELEASE_AGE } from "./wanted-version.ts";
import type { Decision, VersionFacts, WantedVersion } from "./wanted-version.ts";

const ALLOWED = { status: "allowed" } as const;

/**
 * Decides on a version. An exception allows it, whatever else there is; a rule that denies comes
 * before the age. The answer does not depend on `now`, except for what has begun or ended by then.
 */
export function decide(wanted: WantedVersion, rules: readonly PolicyRule[], now: Date): Decision {
  const { protocol, name } = wanted;
  const matching = rulesFor(rules, { protocol, name }, now).filter((rule) => matches(rule, wanted));
  if (matching.some(({ effect }) => effect === "allow")) return ALLOWED;
  const [denying] = matching;
  if (denying) {
    const { id, expiresAt } = denying;
    const text = deniedText(wanted, denying);
    return { status: "denied", rule: id, text, ...(expiresAt && { until: expiresAt }) };
  }
  const until = heldUntil(wanted);
  if (!until || until <= now) return ALLOWED;
  const fixes = wanted.fixes?.();
  if (fixes !== undefined) return { status: "allowed", fixes };
  return { status: "held", rule: MINIMUM_RELEASE_AGE, text: heldText(wanted, until), until };
}

/** Returns the rules that apply to a name now. */
export function rulesFor(
  rules: readonly PolicyRule[],
  { protocol, name }: Pick<WantedVersion, "protocol" | "name">,
  now: Date,
): readonly PolicyRule[] {
  return rules.filter(
    (rule) =>
      rule.protocol === protocol &&
      (!rule.expiresAt || now < rule.expiresAt) &&
      coversName(rule.pattern, protocol, name),
  );
}

/** Undefined when no age is demanded. */
function heldUntil({ source, publishedAt, isKept }: WantedVersion): Date | undefined {
  if (!source || source.minimumReleaseAgeMs <= 0 || isKept) return undefined;
  return new Date(publishedAt.getTime() + source.minimumReleaseAgeMs);
}

/** Rules are matched with thousands of versions. */
const spans = new WeakMap<PolicyRule, VersionSpan>();

function matches(rule: PolicyRule, wanted: WantedVersion): boolean {
  const { protocol, versions, conditions } = rule;
  const span = spans.get(rule) ?? parseVersionSpan(protocol, versions);
  if (span) spans.set(rule, span);
  // A host may know less notation than the one that added the rule.
  if (span && !covers(span, wanted)) return false;
  return Object.keys(conditions).length === 0 || meets(conditions, wanted.facts());
}

function covers(span: VersionSpan, { version, digest }: WantedVersion): boolean {
  return span.includes(version) || (digest !== undefined && span.includes(digest));
}

function meets(
  { licenses, hasInstallScripts, severity }: RuleConditions,
  facts: VersionFacts,
): boolean {
  if (hasInstallScripts && facts.hasInstallScripts !== true) return false;
  if (severity !== undefined && (facts.severity ?? -1) < severity) return false;
  if (!licenses) return true;
  return facts.license !== undefined && requiresLicense(facts.license, licenses);
}
