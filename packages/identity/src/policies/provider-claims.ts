import {
  BRANCH_OR_TAG,
  DIGITS,
  GITHUB_FILE,
  GITHUB_REPOSITORY,
  GITHUB_RUNNERS,
  GITHUB_WORKFLOW,
  GITLAB_FILE,
  GITLAB_PROJECT,
  GITLAB_RUNNERS,
  TRUE_OR_FALSE,
  UUID,
  VCS_ORIGIN,
} from "./claim-forms.ts";
import type { ClaimForm } from "./claim-forms.ts";
import type { PolicyClaims, PolicyProvider } from "./policy.ts";
import { UNPINNED_DAYS } from "./policy.ts";

/** Where a claim is in an ID token: a list of keys, because names contain dots and slashes. */
export type ClaimPath = readonly string[];

/** Rule for comparing a claim. */
export type ClaimField = {
  readonly path: ClaimPath;
  /**
   * `exact` and `caseless`: a text. `ref`: a branch or tag, where `*` matches any characters
   * without `/`, and `**` any characters. `file`: a workflow in the repository of the job.
   * `workflow`: a repository and file. `all`: a list that contains all texts.
   */
  readonly kind: "exact" | "caseless" | "ref" | "file" | "workflow" | "all";
  /** Values that the service can send; a policy with another value would never fit. */
  readonly form?: ClaimForm;
  /** Not compared when the policy knows this id, because names change hands. */
  readonly unless?: string;
  /** Compared only when the ID token contains it. */
  readonly mayLack?: true;
};

/** Claims in the ID tokens of a build service. */
export type ProviderClaims = {
  /** Name of the service in events. */
  readonly label: string;
  /** Fields that name the job for people; the first one of the policy. */
  readonly shown: readonly string[];
  readonly fields: Readonly<Record<string, ClaimField>>;
  /** A policy must contain at least one field of each list. */
  readonly required: readonly (readonly string[])[];
  /** Ids that the first ID token adds to a policy. */
  readonly pins: readonly string[];
  /** The folder of workflow files, by the claims of the ID token. */
  readonly folder?: (token: ClaimSource) => string | undefined;
  /** Field of a workflow that a job may borrow from another repository. */
  readonly borrowed?: string;
  /** Whether the issuer belongs to one organisation, and its audience may be fixed. */
  readonly fixedAudience?: string;
  /** A claim that must equal a part of the issuer, which it captures. */
  readonly tenant?: { readonly path: ClaimPath; readonly issuer: RegExp };
};

/** Issuer and claims of a verified ID token. */
export type ClaimSource = {
  readonly issuer: string;
  readonly claims: Readonly<Record<string, unknown>>;
};

/** Triggers of GitHub Actions that run with rights of the repository for strangers' changes. */
export const REFUSED_EVENTS: readonly string[] = ["pull_request_target", "workflow_run"];

const CIRCLE = "oidc.circleci.com";

/** The claims of each provider. Ids stay the same when names are given to others. */
export const PROVIDER_CLAIMS: Readonly<Record<PolicyProvider, ProviderClaims>> = {
  github: {
    label: "GitHub Actions",
    shown: ["repository", "repository_id"],
    fields: {
      repository: {
        path: ["repository"],
        kind: "caseless",
        unless: "repository_id",
        form: GITHUB_REPOSITORY,
      },
      workflow_ref: { path: ["workflow_ref"], kind: "file", form: GITHUB_FILE },
      job_workflow_ref: { path: ["job_workflow_ref"], kind: "workflow", form: GITHUB_WORKFLOW },
      environment: { path: ["environment"], kind: "caseless" },
      ref: { path: ["ref"], kind: "ref" },
      ref_type: { path: ["ref_type"], kind: "exact", form: BRANCH_OR_TAG },
      ref_protected: { path: ["ref_protected"], kind: "exact", form: TRUE_OR_FALSE },
      runner_environment: { path: ["runner_environment"], kind: "exact", form: GITHUB_RUNNERS },
      event_name: { path: ["event_name"], kind: "exact" },
      actor: { path: ["actor"], kind: "caseless", unless: "actor_id" },
      actor_id: { path: ["actor_id"], kind: "exact", form: DIGITS },
      repository_visibility: { path: ["repository_visibility"], kind: "exact" },
      repository_id: { path: ["repository_id"], kind: "exact", form: DIGITS },
      repository_owner_id: { path: ["repository_owner_id"], kind: "exact", form: DIGITS },
    },
    required: [["repository", "repository_id"], ["workflow_ref"]],
    pins: ["repository_id", "repository_owner_id"],
    folder: ({ claims }) => folderIn(textAt(claims, ["repository"]), "/.github/workflows/"),
    borrowed: "job_workflow_ref",
  },
  gitlab: {
    label: "GitLab CI/CD",
    shown: ["project_path", "project_id"],
    fields: {
      project_path: {
        path: ["project_path"],
        kind: "caseless",
        unless: "project_id",
        form: GITLAB_PROJECT,
      },
      ci_config_ref_uri: { path: ["ci_config_ref_uri"], kind: "file", form: GITLAB_FILE },
      environment: { path: ["environment"], kind: "exact" },
      environment_protected: {
        path: ["environment_protected"],
        kind: "exact",
        form: TRUE_OR_FALSE,
      },
      deployment_tier: { path: ["deployment_tier"], kind: "exact" },
      ref: { path: ["ref"], kind: "ref" },
      ref_path: { path: ["ref_path"], kind: "ref" },
      ref_type: { path: ["ref_type"], kind: "exact", form: BRANCH_OR_TAG },
      ref_protected: { path: ["ref_protected"], kind: "exact", form: TRUE_OR_FALSE },
      runner_environment: { path: ["runner_environment"], kind: "exact", form: GITLAB_RUNNERS },
      pipeline_source: { path: ["pipeline_source"], kind: "exact" },
      user_login: { path: ["user_login"], kind: "caseless", unless: "user_id" },
      user_id: { path: ["user_id"], kind: "exact", form: DIGITS },
      project_id: { path: ["project_id"], kind: "exact", form: DIGITS },
      namespace_id: { path: ["namespace_id"], kind: "exact", form: DIGITS },
    },
    required: [["project_path", "project_id"], ["ci_config_ref_uri"]],
    pins: ["project_id", "namespace_id"],
    folder({ issuer, claims }) {
      const { host, pathname } = new URL(issuer);
      const project = textAt(claims, ["project_path"]);
      return project && `${host}${pathname.replace(/\/$/, "")}/${project}//`;
    },
  },
  "azure-devops": {
    label: "Azure DevOps",
    shown: ["sub", "prj_id"],
    fields: {
      org_id: { path: ["org_id"], kind: "exact", form: UUID },
      prj_id: { path: ["prj_id"], kind: "exact", form: UUID },
      def_id: { path: ["def_id"], kind: "exact", form: DIGITS },
      rpo_id: { path: ["rpo_id"], kind: "exact" },
      rpo_ref: { path: ["rpo_ref"], kind: "ref" },
      sub: { path: ["sub"], kind: "caseless", unless: "def_id" },
    },
    required: [["org_id"], ["prj_id"], ["def_id"]],
    pins: [],
    fixedAudience: "api://AzureADTokenExchange",
    tenant: { path: ["org_id"], issuer: /\/([0-9a-f-]{36})\/?$/i },
  },
  circleci: {
    label: "CircleCI",
    shown: [`${CIRCLE}/vcs-origin`, `${CIRCLE}/project-id`],
    fields: {
      [`${CIRCLE}/org-id`]: { path: [`${CIRCLE}/org-id`], kind: "exact", form: UUID },
      [`${CIRCLE}/project-id`]: { path: [`${CIRCLE}/project-id`], kind: "exact", form: UUID },
      [`${CIRCLE}/pipeline-definition-id`]: {
        path: [`${CIRCLE}/pipeline-definition-id`],
        kind: "exact",
        form: UUID,
      },
      [`${CIRCLE}/vcs-origin`]: {
        path: [`${CIRCLE}/vcs-origin`],
        kind: "caseless",
        mayLack: true,
        form: VCS_ORIGIN,
      },
      [`${CIRCLE}/vcs-ref`]: { path: [`${CIRCLE}/vcs-ref`], kind: "ref" },
      [`${CIRCLE}/context-ids`]: { path: [`${CIRCLE}/context-ids`], kind: "all" },
    },
    required: [[`${CIRCLE}/org-id`], [`${CIRCLE}/project-id`]],
    pins: [],
    tenant: { path: [`${CIRCLE}/org-id`], issuer: /\/org\/([0-9a-f-]{36})\/?$/i },
  },
  kubernetes: {
    label: "Kubernetes",
    shown: ["sub"],
    fields: {
      sub: { path: ["sub"], kind: "exact" },
      uid: { path: ["kubernetes.io", "serviceaccount", "uid"], kind: "exact" },
      namespace: { path: ["kubernetes.io", "namespace"], kind: "exact" },
      serviceaccount: { path: ["kubernetes.io", "serviceaccount", "name"], kind: "exact" },
    },
    required: [["sub"]],
    pins: ["uid"],
  },
  oidc: { label: "OpenID Connect", shown: ["sub"], fields: {}, required: [], pins: [] },
};

/**
 * Returns how a field of a policy is compared. With the provider `oidc`, a field is the name of a
 * claim, or the JSON text of a list of keys.
 */
export function claimField(provider: PolicyProvider, field: string): ClaimField | undefined {
  if (provider !== "oidc") {
    const { fields } = PROVIDER_CLAIMS[provider];
    return Object.hasOwn(fields, field) ? fields[field] : undefined;
  }
  const path = field.startsWith("[") ? pathIn(field) : [field];
  return path && { path, kind: "exact" };
}

/** Returns the text at a path of keys; undefined for a value of another type. */
export function textAt(claims: ClaimSource["claims"], path: ClaimPath): string | undefined {
  const value = valueAt(claims, path);
  return typeof value === "string" ? value : undefined;
}

/** Returns the value at a path of keys. */
export function valueAt(claims: ClaimSource["claims"], path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Returns the ids that the first ID token adds to a policy. */
export function pinsOf(
  { provider, claims }: { readonly provider: PolicyProvider; readonly claims: PolicyClaims },
  token: ClaimSource,
): Readonly<Record<string, string>> {
  const entries = PROVIDER_CLAIMS[provider].pins.flatMap((field) => {
    const path = claimField(provider, field)?.path;
    const id = path && textAt(token.claims, path);
    return id === undefined || claims[field] !== undefined ? [] : [[field, id] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns when a policy without all ids ends, unless it is used before; else undefined. */
export function pinEndOf(
  { provider, claims }: { readonly provider: PolicyProvider; readonly claims: PolicyClaims },
  createdAt: Date,
): Date | undefined {
  const isComplete = PROVIDER_CLAIMS[provider].pins.every((field) => claims[field] !== undefined);
  return isComplete ? undefined : new Date(createdAt.getTime() + UNPINNED_DAYS * DAY_MS);
}

const DAY_MS = 24 * 60 * 60_000;

function pathIn(text: string): ClaimPath | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isPath = Array.isArray(value) && value.length > 0;
    return isPath && value.every((key) => typeof key === "string") ? value : undefined;
  } catch {
    return undefined; // a claim that cannot be compared
  }
}

function folderIn(repository: string | undefined, folder: string): string | undefined {
  return repository === undefined ? undefined : `${repository}${folder}`;
}
