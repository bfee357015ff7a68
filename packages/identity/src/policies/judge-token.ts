import { matchesRef } from "./claim-forms.ts";
import type { NewPolicy, PolicyClaim, PublishPolicy } from "./policy.ts";
import type { ClaimField, ClaimSource } from "./provider-claims.ts";
import { claimField, PROVIDER_CLAIMS, REFUSED_EVENTS, textAt, valueAt } from "./provider-claims.ts";

/**
 * Whether an ID token is of a job that a policy means. `reason` is a sentence; it is present only
 * for the jobs of the same repository or project, so that strangers learn nothing.
 */
export type Judgement =
  | { readonly fits: true }
  | { readonly fits: false; readonly reason?: string };

/** The parts of a policy that decide. */
export type JudgedPolicy = Pick<
  PublishPolicy,
  "provider" | "issuer" | "claims" | "events" | "pinned"
>;

const STRANGER: Judgement = { fits: false };

/** Compares the claims of a verified ID token with a policy. Pure. */
export function judgeToken(policy: JudgedPolicy, token: ClaimSource): Judgement {
  if (token.issuer !== policy.issuer) return STRANGER;
  if (!isOfTenant(policy, token)) return STRANGER;
  const wrong = wrongFields(policy, token);
  if (wrong.some((field) => identifies(policy, field))) return STRANGER;
  const [first] = wrong;
  if (first !== undefined) {
    return { fits: false, reason: differenceIn(first, policy, token) };
  }
  const reason = reasonAgainstEvent(policy, token) ?? reasonAgainstBorrowed(policy, token);
  return reason === undefined ? { fits: true } : { fits: false, reason };
}

/** Returns all required claims of a policy, with the ids of its first use. */
export function requiredClaims({
  claims,
  pinned,
}: Pick<JudgedPolicy, "claims" | "pinned">): NewPolicy["claims"] {
  return { ...pinned, ...claims };
}

/** Only jobs of the policy's repository or project read it. */
function differenceIn(name: string, policy: JudgedPolicy, token: ClaimSource): string {
  const field = claimField(policy.provider, name);
  const claim = requiredClaims(policy)[name];
  const value = field && valueAt(token.claims, field.path);
  const has = value === undefined ? "absent" : shown(value);
  const isFile = typeof claim === "object" && "file" in claim;
  const needs = isFile ? `the file ${shown(claim.file)} of the repository` : shown(claim);
  return `The claim ${name} of the ID token is ${has}, but the policy requires ${needs}.`;
}

const SHOWN_MAX = 200;

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, SHOWN_MAX) ?? "absent";
}

function wrongFields(policy: JudgedPolicy, token: ClaimSource): readonly string[] {
  const required = requiredClaims(policy);
  return Object.entries(required).flatMap(([name, claim]) => {
    const field = claimField(policy.provider, name);
    if (!field) return [name];
    if (field.unless !== undefined && required[field.unless] !== undefined) return [];
    return isEqual(claim, { field, policy, token }) ? [] : [name];
  });
}

/** Whether a field says whose job it is, rather than which of its jobs. */
function identifies({ provider }: JudgedPolicy, name: string): boolean {
  const { pins, required } = PROVIDER_CLAIMS[provider];
  const isFile = claimField(provider, name)?.kind === "file";
  return provider === "oidc" || (!isFile && [...pins, ...required.flat()].includes(name));
}

type Comparison = {
  readonly field: ClaimField;
  readonly policy: JudgedPolicy;
  readonly token: ClaimSource;
};

function isEqual(claim: PolicyClaim, { field, policy, token }: Comparison): boolean {
  const value = valueAt(token.claims, field.path);
  if (value === undefined && field.mayLack) return true;
  if (typeof claim === "object" && !("file" in claim)) {
    return Array.isArray(value) && claim.every((entry) => value.includes(entry));
  }
  // Ids are texts: a number is another claim.
  if (typeof value !== "string") return false;
  if (typeof claim === "object") {
    const folder = PROVIDER_CLAIMS[policy.provider].folder?.(token);
    return folder !== undefined && fileIn(value, folder) === claim.file;
  }
  return isEqualText(field.kind, claim, value);
}

function isEqualText(kind: ClaimField["kind"], claim: string, value: string): boolean {
  switch (kind) {
    case "caseless":
      return value.toLowerCase() === claim.toLowerCase();
    case "workflow":
      return value.toLowerCase().startsWith(`${claim.toLowerCase()}@`);
    case "ref":
      return matchesRef(claim, value);
    case "exact":
    case "file":
    case "all":
      return value === claim;
  }
}

/** The file after the folder: up to the first `@`, because branches may be named `a@b.yml`. */
function fileIn(value: string, folder: string): string | undefined {
  if (!value.toLowerCase().startsWith(folder.toLowerCase())) return undefined;
  const rest = value.slice(folder.length);
  const end = rest.indexOf("@");
  return end < 0 ? undefined : rest.slice(0, end);
}

function isOfTenant({ provider, issuer }: JudgedPolicy, token: ClaimSource): boolean {
  const { tenant } = PROVIDER_CLAIMS[provider];
  const [, id] = tenant?.issuer.exec(issuer) ?? [];
  return tenant === undefined || id === undefined || textAt(token.claims, tenant.path) === id;
}

/** A claim of another type names an event that cannot be compared. */
function reasonAgainstEvent(policy: JudgedPolicy, token: ClaimSource): string | undefined {
  const value = valueAt(token.claims, ["event_name"]);
  if (policy.provider !== "github" || value === undefined) return undefined;
  if (typeof value !== "string") return "The claim event_name of the ID token is not a text.";
  const event = value.toLowerCase();
  if (!REFUSED_EVENTS.includes(event) || policy.events.includes(event)) return undefined;
  return `A run for ${event} gets no token, because it may run the code of strangers.`;
}

/** A workflow of another repository could be changed by its owners. */
function reasonAgainstBorrowed(policy: JudgedPolicy, token: ClaimSource): string | undefined {
  const { borrowed, folder } = PROVIDER_CLAIMS[policy.provider];
  if (borrowed === undefined || policy.claims[borrowed] !== undefined) return undefined;
  const value = valueAt(token.claims, [borrowed]);
  if (value === undefined) return undefined;
  const own = folder?.(token);
  const isOwn = typeof value === "string" && own !== undefined && fileIn(value, own) !== undefined;
  return isOwn ? undefined : "The job runs a reusable workflow of another repository.";
}
