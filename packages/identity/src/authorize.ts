import type { Caller, HiddenNames, Protocol } from "@sealhouse/request-types";
import { coversName } from "./name-pattern.ts";
import { isWithin } from "./network.ts";
import type { Level, NameAccess } from "./ownership/name-standing.ts";
import { belongsToOthers, reasonByOwnership } from "./ownership/reason-by-ownership.ts";
import { scopesWithin } from "./people/role-scopes.ts";
import { isAdministrative } from "./scope.ts";
import type { AdministrativeScope, Scope } from "./ports.ts";
import type { Principal, Requester } from "./principal.ts";
import { endOf, holderOf, isNarrow } from "./principal.ts";
import { disclosureOf } from "./visibility/disclosure.ts";
import type { LimitedName } from "./visibility/visibility.ts";
import { seesAll, seesName } from "./visibility/visibility.ts";

/**
 * The action of a request. `stage` submits a version for approval, `publish` adds versions, `tag`
 * moves tags, `write` also changes versions, `unlist` hides one from search, `manage` changes
 * owners, trusted publishers or visibility.
 */
export type Action =
  | "read"
  | "stage"
  | "publish"
  | "tag"
  | "write"
  | "unlist"
  | "manage"
  | "delete"
  | "admin"
  /** Administers one part of the registry. */
  | AdministrativeScope;

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
  /** Rights of the caller on the name. Undefined where owners do not decide. */
  readonly ownership?: NameAccess | undefined;
  /** Who may see the name, besides the caller's other rights. Undefined for a public name. */
  readonly limited?: LimitedName | undefined;
  /** An administrative action that changes nothing. */
  readonly changesNothing?: true;
  /** Names that users without a second factor only read; undefined = none. */
  readonly mfaPatterns?: readonly string[] | undefined;
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
      /** For requests without a name: names that the caller must not see. */
      readonly hidden?: HiddenNames;
      /** Only some callers may see the name. */
      readonly isPrivate?: true;
    }
  /** The request has no credentials but needs them. */
  | { readonly status: "anonymous" }
  /** The caller must not learn that the name exists. `caller`: as for an unknown name. */
  | { readonly status: "absent"; readonly caller: Caller }
  /** The caller may not do it. `reason` is a sentence. `isConcealed`: see `Verdict`. */
  | { readonly status: "denied"; readonly reason: string; readonly isConcealed?: true }
  /** Granted as soon as the session confirms this action. */
  | { readonly status: "step-up"; readonly caller: Caller };

type Granted = Extract<Decision, { readonly status: "granted" }>;

/** The actor of requests without a token. */
export const ANONYMOUS = "anonymous";
const NOBODY: Caller = { actor: ANONYMOUS };

const PROTOCOL_NAMES = { nuget: "NuGet", npm: "npm", oci: "container images" } as const;

/**
 * Decides access, equally for all protocols: by the limits of the token and by the rights that the
 * person has now. Undefined `requester` means no credentials; invalid credentials must be refused
 * before. The first reason against the request wins.
 */
export function authorize(requester: Requester | undefined, request: RequiredAccess): Decision {
  const granted = grantedTo(requester ? callerOf(requester, request) : NOBODY, request);
  if (request.anonymousPull && request.action === "read" && !request.limited) return granted;
  const { caller } = granted;
  const refused = refusedTo(requester, request, caller);
  if (refused) return refused;
  if (requester && isUnconfirmed(requester, request)) return { status: "step-up", caller };
  const names = requester ? patternsOf(requester, request) : [];
  return names.length > 0 ? { ...granted, names } : granted;
}

type Refused = Extract<Decision, { readonly status: "anonymous" | "absent" | "denied" }>;

function refusedTo(
  requester: Requester | undefined,
  request: RequiredAccess,
  caller: Caller,
): Refused | undefined {
  const refusal = requester ? refusalOf(requester, request) : ANONYMOUS_REFUSED;
  const disclosure = disclosureOf({
    ...request,
    isRead: request.action === "read",
    refusal: refusal?.status,
    isHidden: requester !== undefined && isHidden(requester, request),
  });
  if (disclosure === "unknown") return { status: "absent", caller };
  const isConcealed = disclosure === "concealed";
  return refusal?.status === "denied" && isConcealed ? { ...refusal, isConcealed } : refusal;
}

const ANONYMOUS_REFUSED = { status: "anonymous" } as const;

/** The patterns of the names that the caller may see, for a request without a name. */
function patternsOf(requester: Requester, { name }: RequiredAccess): readonly string[] {
  return "kind" in requester || name !== undefined ? [] : requester.patterns;
}

function callerOf(requester: Requester, request: RequiredAccess): Caller {
  const holderId = holderOf(requester);
  const tokenId = "kind" in requester ? undefined : requester.tokenId;
  const { sessionHash } = requester;
  const isChange = request.action !== "read";
  return {
    actor: requester.name,
    needs: isChange && requester.user ? scopesFor(request) : undefined,
    ...(tokenId !== undefined && { tokenId }),
    ...(holderId !== undefined && { holderId }),
    ...(sessionHash !== undefined && { sessionHash }),
  };
}

function grantedTo(who: Caller, { address, limited }: RequiredAccess): Granted {
  const caller = { ...who, ...(address !== undefined && { address }) };
  return { status: "granted", caller, ...(limited && { isPrivate: true }) };
}

type Denied = Extract<Decision, { readonly status: "denied" }>;

function refusalOf(requester: Requester, request: RequiredAccess): Denied | undefined {
  const isSession = "kind" in requester;
  const reason =
    (isSession ? undefined : reasonByBounds(requester, request)) ??
    reasonByScope(requester, request) ??
    (isSession ? undefined : reasonAgainstLasting(requester, request)) ??
    reasonBySecondFactor(requester, request) ??
    reasonByName(requester, request);
  return reason === undefined ? undefined : { status: "denied", reason };
}

/** Programs with a token in a header cannot answer; the limits of the token count instead. */
function isUnconfirmed(requester: Requester, request: RequiredAccess): boolean {
  const isSession = "kind" in requester || requester.sessionHash !== undefined;
  return isSession && requester.isConfirmed !== true && isLasting(request);
}

function isLasting({ action, changesNothing }: RequiredAccess): boolean {
  return LASTING.includes(action) || (isAdministrative(action) && !changesNothing);
}

const LASTING: readonly Action[] = ["manage", "delete", "admin"];

/** Refuses what the limits of a token exclude. */
function reasonByBounds(principal: Principal, request: RequiredAccess): string | undefined {
  const { protocol, name } = request;
  const { patterns } = principal;
  const unusable = reasonAgainstUse(principal, request);
  if (unusable !== undefined) return unusable;
  const covered =
    patterns.length === 0 ||
    name === undefined ||
    patterns.some((pattern) => coversName(pattern, protocol, name));
  return covered ? undefined : `The token does not cover the name ${name}.`;
}

function isHidden(requester: Requester, { limited }: RequiredAccess): boolean {
  return !!limited && !seesName({ isSignedIn: true, seesAll: seesAll(requester) }, limited);
}

/**
 * Returns why a user whose last sign-in had no second factor may not change a name that requires
 * one; undefined when the user may.
 */
export function reasonBySecondFactor(
  requester: Requester | undefined,
  request: Pick<RequiredAccess, "protocol" | "action" | "name" | "mfaPatterns">,
): string | undefined {
  const { protocol, action, name, mfaPatterns: patterns } = request;
  if (!patterns || name === undefined || action === "read" || action === "admin") return undefined;
  const user = requester?.user;
  if (!user || user.hasSecondFactor === true) return undefined;
  if (!patterns.some((pattern) => coversName(pattern, protocol, name))) return undefined;
  return (
    `Changes of ${name} require a second factor, and the last sign-in of ${user.handle} had ` +
    "none. Sign in on the web page of this registry with a second factor, and repeat the command."
  );
}

/** Refuses by the visibility and the owners of the name. */
function reasonByName(requester: Requester, request: RequiredAccess): string | undefined {
  if (!isHidden(requester, request)) return reasonByLevel(requester, request);
  // The same sentence as for any name of others.
  return isPublish(request) ? belongsToOthers(request.name ?? "") : undefined;
}

/** Whether ownership does not decide: for administrators, and for tokens of the operators. */
export function isUnlimited(requester: Requester): boolean {
  return requester.user?.role === "administrator" || holderOf(requester) === undefined;
}

function reasonByScope(requester: Requester, request: RequiredAccess): string | undefined {
  const { user } = requester;
  const scopes =
    "kind" in requester ? scopesWithin(requester.user.role, ["admin"]) : requester.scopes;
  const needed = scopesFor(request);
  if (needed.some((scope) => scopes.includes(scope))) return undefined;
  const ofRole = user && scopesWithin(user.role, ["admin"]);
  if (ofRole && !needed.some((scope) => ofRole.includes(scope))) {
    return `Your role ${user.role} does not allow this. Ask an administrator of this registry.`;
  }
  // Names the scope `write`, because `publish` is only for build jobs.
  const { action } = request;
  const scope =
    action === "unlist" ? "delete" : LESS_THAN_WRITE.includes(action) ? "write" : action;
  return `The token lacks the scope ${scope}.`;
}

const LESS_THAN_WRITE: readonly Action[] = ["publish", "tag", "manage"];

/** Refuses what would stay after the token is revoked. */
function reasonAgainstLasting(principal: Principal, request: RequiredAccess): string | undefined {
  if (isLasting(request) && principal.policyId !== undefined) return PIPELINES_PUBLISH;
  return request.action === "manage" && isNarrow(principal) ? NARROW_MANAGES_NOTHING : undefined;
}

const PIPELINES_PUBLISH =
  "A token of a publish policy only publishes: it cannot delete, administer or change owners.";

function reasonByLevel(requester: Requester, request: RequiredAccess): string | undefined {
  const { protocol, action, name, ownership } = request;
  const level = LEVEL_OF[action];
  if (!ownership || name === undefined || !level || isUnlimited(requester)) return undefined;
  const publishes = isPublish(request);
  const isPolicy = !("kind" in requester) && requester.policyId !== undefined;
  return reasonByOwnership(ownership, { protocol, name, level, publishes, isPolicy });
}

const LEVEL_OF: Readonly<Partial<Record<Action, Level>>> = {
  stage: "publish",
  publish: "publish",
  tag: "publish",
  write: "publish",
  unlist: "publish",
  manage: "manage",
  delete: "manage",
};

/** Whether the request may create the name. Images are published with `write`. */
function isPublish({ protocol, action }: RequiredAccess): boolean {
  return action === "stage" || action === "publish" || (action === "write" && protocol === "oci");
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
  if (action === "tag") return ["publish", "write", "admin"];
  if (action === "manage") return ["write", "admin"];
  if (action === "unlist") return ["delete", "admin"];
  return action === "admin" ? ["admin"] : [action, "admin"];
}
