import {
  parsePatterns,
  parseProtocols,
  parseScopes,
  policyProblems,
  POLICY_PROVIDERS,
  PROVIDER_CLAIMS,
} from "@sealhouse/identity";
import type { NewPolicy, PolicyClaim, PolicyClaims, PolicyProvider } from "@sealhouse/identity";
import type { TrustedPublishingConfig } from "@sealhouse/identity/settings";
import { CommandError } from "../command.ts";
import type { Json } from "../command.ts";

export type PipelineOptions = Json & {
  readonly provider: string;
  readonly protocols: string;
  readonly issuer?: string;
  readonly repo?: string;
  readonly repoId?: string;
  readonly ownerId?: string;
  readonly file?: string;
  readonly environment?: string;
  readonly reusable?: string;
  readonly claim?: readonly string[];
  readonly event?: readonly string[];
  readonly scopes?: string;
  readonly life: string;
  readonly mayCreate?: true;
  readonly fixedAudience?: true;
  readonly for?: string;
};

/** Fields of the options that a provider names in its own way. */
const FIELDS: Readonly<Partial<Record<PolicyProvider, Readonly<Record<string, string>>>>> = {
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

const OPTION_NAMES = ["repo", "repoId", "ownerId", "file", "environment", "reusable"] as const;

/**
 * Reads the policy that the options of a command describe.
 *
 * @throws CommandError
 */
export function policyIn(
  names: readonly string[],
  options: PipelineOptions,
  trust: TrustedPublishingConfig,
): NewPolicy {
  const provider = POLICY_PROVIDERS.find((known) => known === options.provider);
  if (!provider) {
    throw new CommandError(
      `--provider: "${options.provider}" is not one of ${POLICY_PROVIDERS.join(", ")}`,
    );
  }
  const protocols = parseProtocols(options.protocols);
  const fixed = PROVIDER_CLAIMS[provider].fixedAudience ?? "";
  const policy: NewPolicy = {
    provider,
    issuer: issuerIn(options, provider, trust),
    claims: claimsIn(options, provider),
    protocols,
    patterns: parsePatterns(names.join(" ")),
    scopes: parseScopes(options.scopes ?? (protocols.includes("oci") ? "write" : "publish")),
    lifeSeconds: Number(options.life) * 60,
    mayCreate: options.mayCreate ?? false,
    events: options.event ?? [],
    ...(options.fixedAudience && { fixedAudience: fixed }),
  };
  const problems = policyProblems(policy);
  if (problems.length > 0) throw new CommandError(problems.join("\n"));
  return policy;
}

function issuerIn(
  options: PipelineOptions,
  provider: PolicyProvider,
  { issuers, policyIssuers }: TrustedPublishingConfig,
): string {
  const known: Readonly<Record<string, string | undefined>> = issuers;
  const issuer = options.issuer ?? known[provider];
  if (issuer === undefined) throw new CommandError(`--issuer is required for ${provider}.`);
  if (policyIssuers.includes(issuer)) return issuer;
  throw new CommandError(
    `The registry does not trust the issuer ${issuer}. Add it for all instances, and restart ` +
      `them: Host__TrustedPublishing__Issuers__<name>__Url=${issuer}`,
  );
}

function claimsIn(options: PipelineOptions, provider: PolicyProvider): PolicyClaims {
  const claims: Record<string, PolicyClaim> = {};
  for (const option of OPTION_NAMES) {
    const text = options[option];
    const field = FIELDS[provider]?.[option];
    if (text === undefined) continue;
    if (field === undefined) {
      throw new CommandError(`${provider} has no --${option}; use --claim name=value`);
    }
    claims[field] = option === "file" ? { file: text } : text;
  }
  for (const text of options.claim ?? []) {
    const end = text.startsWith("[") ? text.indexOf("]=") + 1 : text.indexOf("=");
    if (end <= 0) throw new CommandError(`--claim: "${text}" has no name and value: sub=value`);
    const [name, value] = [text.slice(0, end), text.slice(end + 1)];
    const isList = PROVIDER_CLAIMS[provider].fields[name]?.kind === "all";
    claims[name] = isList ? value.split(",") : value;
  }
  return claims;
}
