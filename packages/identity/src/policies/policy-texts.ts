import { isTokenSettingError } from "../errors.ts";
import { parsePatterns } from "../name-pattern.ts";
import { parseProtocols, parseScopes } from "../scope.ts";
import { policyProblems } from "./parse-policy.ts";
import { POLICY_PROVIDERS } from "./policy.ts";
import type {
  NewPolicy,
  PolicyClaim,
  PolicyClaims,
  PolicyProvider,
  PublishPolicy,
} from "./policy.ts";
import { pinEndOf, PROVIDER_CLAIMS } from "./provider-claims.ts";

/** A policy as a person describes it, on the command line or on a page. */
export type PolicyTexts = {
  readonly provider: string;
  /** Names and patterns. */
  readonly names: readonly string[];
  readonly protocols: string;
  readonly issuer?: string | undefined;
  readonly repo?: string | undefined;
  readonly repoId?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly file?: string | undefined;
  readonly environment?: string | undefined;
  readonly reusable?: string | undefined;
  /** `name=value`; a nested name is a JSON list of keys. */
  readonly claim?: readonly string[] | undefined;
  readonly event?: readonly string[] | undefined;
  readonly scopes?: string | undefined;
  /** Minutes. */
  readonly life: string;
  readonly mayCreate?: boolean | undefined;
  readonly fixedAudience?: boolean | undefined;
};

/** Issuers of ID tokens that a registry trusts. */
export type PolicyTrust = {
  /** The issuers that providers have without another one. */
  readonly issuers: Readonly<Partial<Record<"github" | "gitlab" | "circleci", string>>>;
  /** Issuers that policies may name. */
  readonly policyIssuers: readonly string[];
};

/** Outcome of `readPolicy`. Problems are sentences, some of which follow the name of a field. */
export type ReadPolicy =
  | { readonly status: "read"; readonly policy: NewPolicy }
  | { readonly status: "refused"; readonly problems: readonly PolicyTextProblem[] };

/** A problem with a field, or with the policy as a whole. */
export type PolicyTextProblem = {
  readonly field?: keyof PolicyTexts;
  readonly words: string;
};

/** Fields that a provider names in its own way. */
const FIELDS: Readonly<Partial<Record<PolicyProvider, Readonly<Partial<Record<Field, string>>>>>> =
  {
    github: {
      repo: "repository",
      repoId: "repository_id",
      ownerId: "repository_owner_id",
      file: "workflow_ref",
      environment: "environment",
      reusable: "job_workflow_ref",
    },
    gitlab: {
      repo: "project_path",
      repoId: "project_id",
      ownerId: "namespace_id",
      file: "ci_config_ref_uri",
      environment: "environment",
    },
  };

const FIELD_NAMES = ["repo", "repoId", "ownerId", "file", "environment", "reusable"] as const;
type Field = (typeof FIELD_NAMES)[number];

/** Ends the reading with one problem. */
class PolicyTextError extends Error {
  override readonly name = "PolicyTextError";
  readonly field: keyof PolicyTexts;

  constructor(field: keyof PolicyTexts, words: string) {
    super(words);
    this.field = field;
  }
}

/** Reads the policy that texts describe. */
export function readPolicy(texts: PolicyTexts, trust: PolicyTrust): ReadPolicy {
  try {
    const policy = policyIn(texts, trust);
    const problems = policyProblems(policy).map((words) => ({ words }));
    return problems.length > 0 ? { status: "refused", problems } : { status: "read", policy };
  } catch (error) {
    if (isTokenSettingError(error)) {
      return { status: "refused", problems: [{ words: error.message }] };
    }
    if (!(error instanceof PolicyTextError)) throw error;
    return { status: "refused", problems: [{ field: error.field, words: error.message }] };
  }
}

function policyIn(texts: PolicyTexts, trust: PolicyTrust): NewPolicy {
  const provider = POLICY_PROVIDERS.find((known) => known === texts.provider);
  if (!provider) {
    const allowed = POLICY_PROVIDERS.join(", ");
    throw new PolicyTextError("provider", `"${texts.provider}" is not one of ${allowed}`);
  }
  const protocols = parseProtocols(texts.protocols);
  const fixed = PROVIDER_CLAIMS[provider].fixedAudience ?? "";
  return {
    provider,
    issuer: issuerIn(texts, provider, trust),
    claims: claimsIn(texts, provider),
    protocols,
    patterns: parsePatterns(texts.names.join(" ")),
    scopes: parseScopes(texts.scopes ?? (protocols.includes("oci") ? "write" : "publish")),
    lifeSeconds: Number(texts.life) * 60,
    mayCreate: texts.mayCreate ?? false,
    events: texts.event ?? [],
    ...(texts.fixedAudience && { fixedAudience: fixed }),
  };
}

function issuerIn(
  texts: PolicyTexts,
  provider: PolicyProvider,
  { issuers, policyIssuers }: PolicyTrust,
): string {
  const known: Readonly<Record<string, string | undefined>> = issuers;
  const issuer = texts.issuer ?? known[provider];
  if (issuer === undefined) throw new PolicyTextError("issuer", `is required for ${provider}`);
  if (policyIssuers.includes(issuer)) return issuer;
  throw new PolicyTextError(
    "issuer",
    `${issuer} is not trusted by the registry. Add it for all instances, and restart them: ` +
      `Host__TrustedPublishing__Issuers__<name>__Url=${issuer}`,
  );
}

function claimsIn(texts: PolicyTexts, provider: PolicyProvider): PolicyClaims {
  const claims: Record<string, PolicyClaim> = {};
  for (const name of FIELD_NAMES) {
    const text = texts[name];
    const field = FIELDS[provider]?.[name];
    if (text === undefined) continue;
    if (field === undefined) {
      throw new PolicyTextError(name, `does not exist for ${provider}; use a claim: name=value`);
    }
    claims[field] = name === "file" ? { file: text } : text;
  }
  for (const text of texts.claim ?? []) {
    const end = text.startsWith("[") ? text.indexOf("]=") + 1 : text.indexOf("=");
    if (end <= 0) throw new PolicyTextError("claim", `"${text}" has no name and value: sub=value`);
    const [name, value] = [text.slice(0, end), text.slice(end + 1)];
    const isList = PROVIDER_CLAIMS[provider].fields[name]?.kind === "all";
    claims[name] = isList ? value.split(",") : value;
  }
  return claims;
}

/** Who makes a policy, and for whom. */
export type PolicyMaking = Pick<
  PublishPolicy,
  "id" | "createdAt" | "createdBy" | "ownerId" | "makerId"
>;

/** Returns the policy to store. It is pending while it may create the names that it lists. */
export function newPolicy(wish: NewPolicy, making: PolicyMaking): PublishPolicy {
  const pinEndsAt = pinEndOf(wish, making.createdAt);
  const hasNames = wish.patterns.every((pattern) => !pattern.includes("*"));
  return {
    ...wish,
    ...making,
    state: wish.mayCreate && hasNames ? "pending" : "active",
    ...(pinEndsAt && { pinEndsAt }),
  };
}
