import { isObject } from "../json.ts";
import type { NewTrustedPublisher, TrustClaim, TrustClaims, TrustProvider } from "./ports.ts";

type Rule = {
  readonly required: boolean;
  readonly read: (value: unknown) => TrustClaim | undefined;
};

const TEXT_MAX = 255;
const CONTEXTS_MAX = 20;

/**
 * Claims about a job of each provider, with the option names of `npm trust`. The numbers of a
 * repository and of its owner stay the same when the names are reassigned.
 */
const RULES: Readonly<Record<TrustProvider, Readonly<Record<string, Rule>>>> = {
  github: {
    repository: must(text(/^[\w.-]+\/[\w.-]+$/)),
    workflow_ref: must(file),
    environment: may(text(/^[^\p{C}]+$/u)),
    repository_id: may(text(/^\d+$/)),
    repository_owner_id: may(text(/^\d+$/)),
  },
  gitlab: {
    project_path: must(text(/^[\w.-]+(?:\/[\w.-]+)+$/)),
    ci_config_ref_uri: must(path),
    environment: may(text(/^[^\p{C}]+$/u)),
    project_id: may(text(/^\d+$/)),
    namespace_id: may(text(/^\d+$/)),
  },
  circleci: {
    "oidc.circleci.com/org-id": must(uuid),
    "oidc.circleci.com/project-id": must(uuid),
    "oidc.circleci.com/pipeline-definition-id": must(uuid),
    "oidc.circleci.com/vcs-origin": must(text(/^[\w.-]+(?:\/[\w.-]+){2,}$/)),
    "oidc.circleci.com/context-ids": may(uuids),
  },
};

/** Ids that the first token adds to a publisher. */
const PINNED: Readonly<Record<TrustProvider, readonly string[]>> = {
  github: ["repository_id", "repository_owner_id"],
  gitlab: ["project_id", "namespace_id"],
  circleci: [],
};

/**
 * Reads the required claims of a job. Returns a text for an unknown claim: an unchecked claim would
 * accept too many jobs.
 */
export function parseTrustClaims(provider: TrustProvider, value: unknown): TrustClaims | string {
  if (!isObject(value)) return "claims must be an object";
  const rules = RULES[provider];
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(rules, key));
  if (unknown !== undefined) return `${JSON.stringify(unknown.slice(0, 80))} is not checked here`;
  const claims: Record<string, TrustClaim> = {};
  for (const [key, { required, read }] of Object.entries(rules)) {
    const field = value[key];
    const claim = field === undefined || field === null ? undefined : read(field);
    if (claim !== undefined) claims[key] = claim;
    else if (required || (field !== undefined && field !== null)) {
      return `${key} is ${field === undefined ? "missing" : "not what it can be"}`;
    }
  }
  return claims;
}

function isPinned(provider: TrustProvider, claim: string): boolean {
  return PINNED[provider].includes(claim);
}

/** Whether a wanted one means the same job as one that is present, or as another wanted one. */
export function trustsTwice(
  present: readonly NewTrustedPublisher[],
  newPublishers: readonly NewTrustedPublisher[],
): boolean {
  const before = new Set(present.map(keyOf));
  return before.union(new Set(newPublishers.map(keyOf))).size < before.size + newPublishers.length;
}

/** Numbers that were kept from the first token do not make it another publisher. */
function keyOf({ provider, issuer, claims }: NewTrustedPublisher): string {
  const meant = Object.entries(claims).filter(([key]) => !isPinned(provider, key));
  return JSON.stringify([provider, issuer, meant.toSorted(byName)]);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Describes the job of a token, to explain why it is not trusted. */
export function describeJob(claims: Readonly<Record<string, unknown>>): string {
  const shown = SHOWN.flatMap((key) => {
    const value = claims[key];
    return typeof value === "string" ? [`${key} ${JSON.stringify(value.slice(0, 200))}`] : [];
  });
  return shown.length === 0 ? "a job without identifying claims" : shown.join(", ");
}

const SHOWN = [
  "repository",
  "workflow_ref",
  "project_path",
  "ci_config_ref_uri",
  "environment",
  "oidc.circleci.com/project-id",
  "oidc.circleci.com/pipeline-definition-id",
  "oidc.circleci.com/vcs-origin",
];

function must(read: Rule["read"]): Rule {
  return { required: true, read };
}

function may(read: Rule["read"]): Rule {
  return { required: false, read };
}

function text(form: RegExp): (value: unknown) => string | undefined {
  return (value) =>
    typeof value === "string" && value.length <= TEXT_MAX && form.test(value) ? value : undefined;
}

/** The name alone: GitHub decides on the folder. */
function file(value: unknown): { readonly file: string } | undefined {
  const found = path(value);
  return found?.file.includes("/") ? undefined : found;
}

/** A path in the project. */
function path(value: unknown): { readonly file: string } | undefined {
  const name = isObject(value) && Object.keys(value).length === 1 ? value["file"] : undefined;
  const isName = typeof name === "string" && name.length <= TEXT_MAX;
  return isName && /^[^\p{C}\\@]+\.ya?ml$/u.test(name) ? { file: name } : undefined;
}

function uuid(value: unknown): string | undefined {
  return typeof value === "string" && UUID.test(value) ? value : undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function uuids(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > CONTEXTS_MAX) return undefined;
  const list = value.map(uuid);
  return list.every((entry) => entry !== undefined) && list.length > 0 ? list : undefined;
}
