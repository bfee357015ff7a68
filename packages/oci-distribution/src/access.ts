import type { Call } from "./call.ts";
import { OciError } from "./errors.ts";
import type { Action, OciVerdict } from "./ports.ts";
import type { RepositoryName } from "./repository-name.ts";
import { nameAt } from "./name-mapping.ts";

export type Granted = Extract<OciVerdict, { status: "granted" }>;

/** Requested access: an action in a repository, the catalog, or (undefined) the ping. */
export type RequiredAccess = {
  readonly action: Action;
  readonly repository?: RepositoryName | "*";
  /** See `AuthorizeImage`. */
  readonly isContinued?: boolean;
};

/** Authorizes a request. Throws `UNAUTHORIZED` with the challenge, `DENIED` or
 * `TOOMANYREQUESTS`. */
export async function requireAccess(call: Call, access: RequiredAccess): Promise<Granted> {
  const { c, registry } = call;
  const verdict = await registry.ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "granted") return verdict;
  throw refusalOf(call, access, verdict);
}

/**
 * Authorizes a request whose path names the repository. For a hidden one it returns the caller as
 * for an unknown one, and the ports of the call then know nothing of the name. So use it only where
 * all that the answer depends on comes from these ports by this name.
 */
export async function requireNamed(
  call: Call,
  access: RequiredAccess & { readonly repository: RepositoryName },
): Promise<Granted> {
  const { c, registry, hidden } = call;
  const verdict = await registry.ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "granted") return verdict;
  if (verdict.status !== "absent") throw refusalOf(call, access, verdict);
  hidden.add(access.repository);
  return { status: "granted", caller: verdict.caller, mayPull: () => false };
}

/** The same for a read. */
export function requirePull(call: Call, repository: RepositoryName): Promise<Granted> {
  return requireNamed(call, { action: "pull", repository });
}

function refusalOf(
  call: Call,
  access: RequiredAccess,
  verdict: Exclude<OciVerdict, { readonly status: "granted" }>,
): OciError {
  switch (verdict.status) {
    case "absent":
      return new OciError("NAME_UNKNOWN", { details: [asWritten(call, access)] });
    case "anonymous":
      return challenge(call, access, verdict.error);
    case "denied":
      return new OciError("DENIED", {
        message: verdict.reason,
        details: [asWritten(call, access)],
      });
    case "limited":
      return tooManyRequests(verdict.retryAfterSeconds);
  }
}

/** Returns a 401 with `WWW-Authenticate: Bearer`, which names the token service and the scopes.
 * `more`: access that the same request needs in other repositories. */
export function challenge(
  call: Call,
  access: RequiredAccess,
  error?: string,
  more: readonly RequiredAccess[] = [],
): OciError {
  const { c, registry, mapping } = call;
  const { base } = registry.ports.address(c.req.raw, c.env);
  const actions = [access, ...more].map((entry) => asWritten(call, entry));
  const parameters = Object.entries({
    realm: `${base}${mapping.path}/token`,
    service: registry.service,
    scope: actions.map(scopeOf).join(" ") || undefined,
    error,
  });
  const quoted = parameters
    .filter(([, value]) => value !== undefined)
    .map(([name, value = ""]) => `${name}="${value.replaceAll(/["\\]/g, "\\$&")}"`);
  const headers = { "www-authenticate": `Bearer ${quoted.join(",")}` };
  return new OciError("UNAUTHORIZED", { headers, details: actions });
}

export function tooManyRequests(retryAfterSeconds: number): OciError {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
  const message = `too many requests; try again in ${seconds} seconds`;
  return new OciError("TOOMANYREQUESTS", {
    message,
    headers: { "retry-after": String(seconds) },
  });
}

/** A push also reads blobs and manifests, so it requests both actions. */
const SCOPE_ACTIONS = { pull: "pull", push: "pull,push", delete: "delete" } as const;

/** Names as the client writes them, because it compares them with the scopes of its token. */
type ScopedAction = { readonly action: Action; readonly repository?: string };

function asWritten({ mapping }: Call, { action, repository }: RequiredAccess): ScopedAction {
  if (repository === undefined || repository === "*")
    return { action, ...(repository && { repository }) };
  return { action, repository: nameAt(mapping, repository) };
}

function scopeOf({ action, repository }: ScopedAction): string {
  if (repository === undefined) return "";
  if (repository === "*") return "registry:catalog:*";
  return `repository:${repository}:${SCOPE_ACTIONS[action]}`;
}
