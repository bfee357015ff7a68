import type { Caller, Protocol } from "@sealhouse/request-types";
import { coversName } from "./name-pattern.ts";
import { isWithin } from "./network.ts";
import type { Scope } from "./ports.ts";
import { scopesWithin } from "./people/role-scopes.ts";
import type { Principal, Requester, SessionPrincipal } from "./principal.ts";
import { endOf, isNarrow } from "./principal.ts";

/**
 * The action of a request. `stage` submits a version for approval, `publish` adds versions,
 * `manage` changes owners, trusted publishers or visibility.
 */
export type Action = "read" | "stage" | "publish" | "write" | "manage" | "delete" | "admin";

/** The permission that a request requires. */
export type RequiredAccess = {
  readonly protocol: Protocol;
  readonly action: Action;
  /**
   * The package or repository. Undefined when a request names none (service index, search, ping) or
   * not yet (a push before its file is read). Name patterns are then ignored, and the caller must
   * authorize again once the name is known.
   */
  readonly name?: string | undefined;
  /** Network address of the client. */
  readonly address?: string | undefined;
  readonly now: Date;
  /** Whether anonymous callers may read (`Feed__Authentication__AllowAnonymousPull`). */
  readonly anonymousPull: boolean;
};

/** Outcome of an authorization. */
export type Decision =
  | {
      readonly status: "granted";
      readonly caller: Caller;
      /**
       * For requests without a name: patterns of the names that the caller may see. Undefined when
       * the caller may see all.
       */
      readonly names?: readonly string[];
    }
  /** The request has no credentials but needs them. */
  | { readonly status: "anonymous" }
  /** The token does not grant the access. `reason` is a sentence. */
  | { readonly status: "denied"; readonly reason: string };

type Granted = Extract<Decision, { readonly status: "granted" }>;

/** The actor of requests without a token. */
export const ANONYMOUS = "anonymous";

const PROTOCOL_NAMES = { nuget: "NuGet", npm: "npm", oci: "container images" } as const;

/**
 * Decides access, equally for all protocols. Undefined `principal` means no credentials; invalid
 * credentials must be refused before.
 */
export function authorize(requester: Requester | undefined, request: RequiredAccess): Decision {
  const isPublic = request.anonymousPull && request.action === "read";
  if (!requester) {
    return isPublic ? grantedTo({ actor: ANONYMOUS }, request) : { status: "anonymous" };
  }
  const isSession = "kind" in requester;
  const refusal = isSession ? reasonByRole(requester, request) : reasonAgainst(requester, request);
  if (!isPublic && refusal !== undefined) return { status: "denied", reason: refusal };
  const granted = grantedTo(actorOf(requester), request);
  if (isSession || isPublic || request.name !== undefined) return granted;
  return requester.patterns.length > 0 ? { ...granted, names: requester.patterns } : granted;
}

function actorOf(requester: Requester): Caller {
  const { name: actor } = requester;
  return "kind" in requester ? { actor } : { actor, tokenId: requester.tokenId };
}

function reasonByRole(
  { user: { role } }: SessionPrincipal,
  request: RequiredAccess,
): string | undefined {
  const scopes = scopesWithin(role, ["admin"]);
  if (scopesFor(request).some((scope) => scopes.includes(scope))) return undefined;
  return `Your role ${role} does not allow this. Ask an administrator of this registry.`;
}

function grantedTo(who: Caller, { address }: RequiredAccess): Granted {
  return { status: "granted", caller: { ...who, ...(address !== undefined && { address }) } };
}

function reasonAgainst(principal: Principal, request: RequiredAccess): string | undefined {
  const { protocol, action, name } = request;
  const { patterns } = principal;
  const hasScope = scopesFor(request).some((scope) => principal.scopes.includes(scope));
  // Names the scope `write`, because `publish` is only for build jobs.
  const scope = action === "publish" || action === "manage" ? "write" : action;
  if (!hasScope) return `The token lacks the scope ${scope}.`;
  const unusable = reasonAgainstUse(principal, request);
  if (unusable !== undefined) return unusable;
  const covered =
    patterns.length === 0 ||
    name === undefined ||
    patterns.some((pattern) => coversName(pattern, protocol, name));
  if (!covered) return `The token does not cover the name ${name}.`;
  return action === "manage" && isNarrow(principal) ? NARROW_MANAGES_NOTHING : undefined;
}

/** Such a change would stay after the token is revoked. */
const NARROW_MANAGES_NOTHING =
  "A token that is limited to names or networks cannot change owners, trusted publishers " +
  "or visibility. Use a token without limits: sealhouse token create --name <name> " +
  "--scopes read,write";

/**
 * Returns why a token is invalid for any action with a protocol at an address; undefined when it is
 * valid.
 */
export function reasonAgainstUse(
  principal: Principal,
  { protocol, address, now }: Pick<RequiredAccess, "protocol" | "address" | "now">,
): string | undefined {
  if (endOf(principal, now)) return "The token has expired; create a new one.";
  if (principal.protocols.length > 0 && !principal.protocols.includes(protocol)) {
    return `The token is not valid for ${PROTOCOL_NAMES[protocol]}.`;
  }
  const { networks } = principal;
  if (networks.length > 0 && (address === undefined || !isWithin(networks, address))) {
    return "The token is not valid from this network address.";
  }
  return undefined;
}

/**
 * Returns the scopes that allow an action, one of which is sufficient. Clients that push images or
 * publish npm versions first read what exists.
 */
function scopesFor({ protocol, action, name }: RequiredAccess): readonly Scope[] {
  if (protocol === "oci" && action === "read") return ["read", "write", "admin"];
  if (protocol === "npm" && action === "read" && name !== undefined) {
    return ["read", "publish", "admin"];
  }
  if (action === "stage" || action === "publish") return [action, "write", "admin"];
  if (action === "manage") return ["write", "admin"];
  return action === "admin" ? ["admin"] : [action, "admin"];
}
