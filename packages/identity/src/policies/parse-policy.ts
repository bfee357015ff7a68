import { checkPatterns } from "../name-pattern.ts";
import { isTokenSettingError } from "../errors.ts";
import { isRefPattern } from "./claim-forms.ts";
import type { NewPolicy, PolicyClaim } from "./policy.ts";
import { POLICY_LIFE_S } from "./policy.ts";
import type { ClaimField } from "./provider-claims.ts";
import { claimField, PROVIDER_CLAIMS, REFUSED_EVENTS } from "./provider-claims.ts";

const TEXT_MAX = 255;
const LIST_MAX = 20;
/** Scopes of build jobs: others would outlast the token. */
const SCOPES = ["read", "stage", "publish", "write"];

/** Returns why a policy cannot be stored, as sentences; empty when it can. */
export function policyProblems(policy: NewPolicy): readonly string[] {
  return [
    ...issuerProblems(policy),
    ...claimProblems(policy),
    ...limitProblems(policy),
    ...audienceProblems(policy),
  ];
}

function issuerProblems({ issuer }: NewPolicy): readonly string[] {
  const isUrl = URL.canParse(issuer) && /^https?:$/.test(new URL(issuer).protocol);
  if (!isUrl) return ["The issuer must be an https URL, as in the claim iss."];
  return issuer.length > TEXT_MAX ? [`The issuer is longer than ${TEXT_MAX} characters.`] : [];
}

function claimProblems({ provider, issuer, claims }: NewPolicy): readonly string[] {
  const { required, tenant } = PROVIDER_CLAIMS[provider];
  const missing = required.filter((names) => names.every((name) => claims[name] === undefined));
  const [, organization] = tenant?.issuer.exec(issuer) ?? [];
  const other = Object.entries(claims).find(([name, claim]) => {
    const isTenant = tenant?.path.length === 1 && tenant.path[0] === name;
    return isTenant && organization !== undefined && claim !== organization;
  });
  return [
    ...Object.entries(claims).flatMap(([name, claim]) => claimProblem(provider, name, claim)),
    ...missing.map((names) => `The claim ${names.join(" or ")} is missing.`),
    ...(other ? [`The claim ${other[0]} differs from the organization of the issuer.`] : []),
    ...(Object.keys(claims).length === 0 ? ["A policy requires at least one claim."] : []),
  ];
}

/** Returns why no ID token can have a claim. */
function claimProblem(
  provider: NewPolicy["provider"],
  name: string,
  claim: PolicyClaim,
): readonly string[] {
  const field = claimField(provider, name);
  if (!field) {
    const knownNames = Object.keys(PROVIDER_CLAIMS[provider].fields).join(", ");
    return [`The claim ${name} is not one of ${knownNames || "a list of keys"}.`];
  }
  if (!isUsable(claim, field)) return [`The claim ${name} has a value that it cannot have.`];
  const text = typeof claim === "object" && "file" in claim ? claim.file : claim;
  const { form } = field;
  if (typeof text !== "string" || form === undefined || form.pattern.test(text)) return [];
  return [`The claim ${name} is ${JSON.stringify(text)}, but must be ${form.words}.`];
}

function isUsable(claim: PolicyClaim, { kind }: ClaimField): boolean {
  if (typeof claim === "object" && "file" in claim) return kind === "file" && isText(claim.file);
  if (typeof claim === "object") {
    return kind === "all" && claim.length > 0 && claim.length <= LIST_MAX && claim.every(isText);
  }
  if (kind === "ref") return isText(claim) && isRefPattern(claim);
  return kind !== "file" && kind !== "all" && isText(claim);
}

function isText(text: string): boolean {
  const isWithin = text.length > 0 && text.length <= TEXT_MAX;
  return isWithin && text.trim() === text && !/\p{C}/u.test(text);
}

function limitProblems(policy: NewPolicy): readonly string[] {
  const { protocols, patterns, scopes, lifeSeconds, events } = policy;
  const { least, most } = POLICY_LIFE_S;
  const badScopes = scopes.filter((scope) => !SCOPES.includes(scope));
  const badEvents = events.filter((event) => !REFUSED_EVENTS.includes(event));
  return [
    ...(protocols.length === 0 ? ["A policy requires at least one protocol."] : []),
    ...(patterns.length === 0 ? ["A policy requires at least one name or pattern."] : []),
    ...patternProblem(patterns),
    ...(scopes.length === 0 ? ["A policy requires at least one scope."] : []),
    ...badScopes.map(
      (scope) => `A policy cannot give the scope ${scope}, but ${SCOPES.join(", ")}.`,
    ),
    ...(protocols.includes("oci") && !scopes.includes("write") && !scopes.includes("read")
      ? ["Images require the scope write; read allows only pulls."]
      : []),
    ...(lifeSeconds < least || lifeSeconds > most || !Number.isInteger(lifeSeconds)
      ? [`The life of tokens must be ${least / 60} to ${most / 60} minutes.`]
      : []),
    ...badEvents.map((event) => `The event ${event} is not one of ${REFUSED_EVENTS.join(", ")}.`),
  ];
}

function patternProblem(patterns: readonly string[]): readonly string[] {
  try {
    checkPatterns(patterns);
    return [];
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    return [error.message];
  }
}

/** All customers of a service have ID tokens with a fixed audience, so its ids must decide. */
function audienceProblems({ provider, issuer, fixedAudience }: NewPolicy): readonly string[] {
  if (fixedAudience === undefined) return [];
  const { fixedAudience: expected, tenant } = PROVIDER_CLAIMS[provider];
  if (expected === fixedAudience && tenant?.issuer.test(issuer)) return [];
  return [
    "A fixed audience is accepted only from an Azure DevOps issuer with the id of the " +
      `organization, and must be ${PROVIDER_CLAIMS["azure-devops"].fixedAudience}.`,
  ];
}
