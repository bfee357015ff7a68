import type { Action } from "./authorize.ts";
import { authorize } from "./authorize.ts";
import type { Principal } from "./principal.ts";

/** One entry of a bearer token's access list, as in the token specification of OCI registries. */
export type Access = {
  /** `repository`, or `registry` for the catalog. */
  readonly type: string;
  readonly name: string;
  /** For a repository `pull`, `push`, `delete`; for the catalog `*`. */
  readonly actions: readonly string[];
};

/** The conditions of a request that access depends on. */
export type AccessContext = {
  readonly now: Date;
  readonly anonymousPull: boolean;
  readonly address?: string | undefined;
};

const ACTIONS = { pull: "read", push: "write", delete: "delete" } as const satisfies Record<
  string,
  Action
>;
const REPOSITORY_ACTIONS = ["pull", "push", "delete"] as const;
/** Limit of request headers; clients request two or three entries. */
const ENTRIES_MAX = 32;
const NAME_MAX = 255;

/**
 * Reduces the requested access to what the identity may do. Never fails: it omits entries that are
 * not granted or unknown. Undefined `principal` means no credentials.
 */
export function grantAccess(
  principal: Principal | undefined,
  requested: readonly Access[],
  context: AccessContext,
): readonly Access[] {
  const granted = new Map<string, Access>();
  for (const { type, name, actions } of requested) {
    const key = `${type}:${name}`;
    if (name.length > NAME_MAX || (granted.size === ENTRIES_MAX && !granted.has(key))) continue;
    const allActions = [...(granted.get(key)?.actions ?? []), ...actions];
    const allowed = allowedOf({ type, name, actions: allActions }, principal, context);
    if (allowed.length > 0) granted.set(key, { type, name, actions: allowed });
  }
  return [...granted.values()];
}

/** Whether an access list grants an action on a repository. */
export function opensRepository(
  access: readonly Access[],
  name: string,
  action: keyof typeof ACTIONS,
): boolean {
  return access.some(
    (entry) => entry.type === "repository" && entry.name === name && entry.actions.includes(action),
  );
}

/** Whether an access list grants reading the catalog. */
export function opensCatalog(access: readonly Access[]): boolean {
  return access.some((entry) => isCatalog(entry) && entry.actions.includes("*"));
}

function allowedOf(
  { type, name, actions }: Access,
  principal: Principal | undefined,
  context: AccessContext,
): readonly string[] {
  const may = (action: Action, repository?: string) =>
    authorize(principal, { protocol: "oci", action, name: repository, ...context }).status ===
    "granted";
  if (isCatalog({ type, name })) return actions.includes("*") && may("read") ? ["*"] : [];
  if (type !== "repository") return [];
  return REPOSITORY_ACTIONS.filter(
    (action) => (actions.includes(action) || actions.includes("*")) && may(ACTIONS[action], name),
  );
}

function isCatalog({ type, name }: Pick<Access, "type" | "name">): boolean {
  return type === "registry" && name === "catalog";
}
