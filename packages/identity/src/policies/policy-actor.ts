import type { NewPolicy } from "./policy.ts";
import { PROVIDER_CLAIMS } from "./provider-claims.ts";

const SUBJECT_MAX = 160;

/**
 * Name of the jobs of a policy in events: `GitHub Actions acme/demo (oidc:<id>)`. Constant and
 * unique for each policy.
 */
export function policyActor(
  policy: Pick<NewPolicy, "provider" | "claims"> & { readonly id: string },
): string {
  const { label } = PROVIDER_CLAIMS[policy.provider];
  return `${label} ${policySubject(policy)} (oidc:${policy.id})`;
}

/** Repository, project or account of a policy, for people. */
export function policySubject({
  provider,
  claims,
}: Pick<NewPolicy, "provider" | "claims">): string {
  const texts = PROVIDER_CLAIMS[provider].shown.map((field) => claims[field]);
  const [first = ""] = texts.filter((text) => typeof text === "string");
  return first.slice(0, SUBJECT_MAX);
}

/** Claims about the run of a job, for later investigation. */
export function runClaims(
  claims: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const entries = RUN_CLAIMS.map((key) => [key, claims[key]] as const);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts.map(([key, text]) => [key, text.slice(0, 500)]));
}

const RUN_CLAIMS = [
  "iss",
  "sub",
  "repository",
  "repository_id",
  "workflow_ref",
  "job_workflow_ref",
  "event_name",
  "project_path",
  "project_id",
  "ci_config_ref_uri",
  "pipeline_id",
  "job_id",
  "run_id",
  "run_attempt",
  "ref",
  "sha",
  "actor",
  "user_login",
  "environment",
  "org_id",
  "prj_id",
  "def_id",
];
