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
    return { fits: false, reason: `The claim ${first} of the ID token differs from the policy.` };
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
  switch (field.kind) {
    case "caseless":
      return value.toLowerCase() === claim.toLowerCase();
    case "workflow":
      return value.toLowerCase().startsWith(`${claim.toLowerCase()}@`);
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

function reasonAgainstEvent(policy: JudgedPolicy, token: ClaimSource): string | undefined {
  const event = textAt(token.claims, ["event_name"]);
  if (policy.provider !== "github" || event === undefined) return undefined;
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
