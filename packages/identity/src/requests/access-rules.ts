import type { Caller, Protocol } from "@sealhouse/request-types";
import type { Action, Decision, RequiredAccess } from "../authorize.ts";
import { authorize, isUnlimited } from "../authorize.ts";
import type { Authenticator } from "../authenticator.ts";
import type { BearerTokens } from "../bearer-tokens.ts";
import type { Credentials } from "../credentials.ts";
import type { NameViews, View, ViewedNames } from "../visibility/visibility.ts";
import { readCredentials } from "../credentials.ts";
import { coversName } from "../name-pattern.ts";
import type { NameRules } from "../ownership/name-rules.ts";
import { isNewName } from "../ownership/name-standing.ts";
import { nameKeyOf } from "../ownership/reserved-pattern.ts";
import type { Principal, Requester } from "../principal.ts";
import { holderOf } from "../principal.ts";
import type { RefreshTokens } from "../refresh-tokens.ts";

/** Data of the host about a request. The same object for the same request. */
export type RequestOrigin = {
  /** Identifies the request in events. */
  readonly id: string;
  /** Network address of the client. */
  readonly address?: string;
  /** Set to the id of the valid token that the request contains. */
  tokenId?: string;
};

/** Provides the host's data about requests. */
export type RequestOrigins = {
  of(request: Request, env: unknown): RequestOrigin;
  /** Called when the request contains valid credentials. */
  confirmAddress(origin: RequestOrigin): void;
};

/** The dependencies of access decisions, for all protocols. */
export type AccessRules = {
  readonly authenticator: Authenticator;
  readonly bearerTokens: BearerTokens;
  readonly refreshTokens: RefreshTokens;
  /** Finds the principal of an ID token of a build job; undefined where none is accepted. */
  readonly idTokens?: (text: string, from: RequestOrigin) => Promise<Principal | undefined>;
  readonly contexts: RequestOrigins;
  readonly anonymousPull: boolean;
  /** Returns what a caller sees of the names; undefined where all names are public. */
  readonly views?: NameViews;
  readonly now: () => Date;
  /** Names that users without a second factor only read; undefined = none. */
  readonly mfaPatterns?: readonly string[] | undefined;
  /** Absent where names have no owners. */
  readonly names?: NameRules | undefined;
  /** Identifies requests for pages. Undefined = only credentials in headers count. */
  readonly identifyPage?: IdentifyPage;
};

/** Identifies a request for a page, by its session or by the credentials in its headers. */
export type IdentifyPage = (request: RequestHeaders) => Promise<PageIdentification>;

/** Outcome of identifying a request for a page. */
export type PageIdentification =
  | Identification
  /** A session, which belongs to a token or directly to a user. */
  | { readonly status: "principal"; readonly principal: Requester };

/** A request that may have no `Request` object. */
export type RequestHeaders = {
  readonly headers: Pick<Headers, "get">;
  readonly context: RequestOrigin;
};

export type Identification =
  | { readonly status: "principal"; readonly principal: Principal }
  | { readonly status: "none" }
  | { readonly status: "invalid"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** An identification without errors: a principal, or no credentials. */
export type Identified = Extract<PageIdentification, { readonly status: "principal" | "none" }>;

export async function identify(
  rules: AccessRules,
  credentials: Credentials,
  context: RequestOrigin,
): Promise<Identification> {
  const identified = await rules.authenticator.authenticate(credentials, context.address);
  if (identified.status === "principal") rules.contexts.confirmAddress(context);
  return identified;
}

const failures = new WeakMap<RequestOrigin, Identification>();

/**
 * Identifies by the headers. Invalid credentials count as one failure, even when a request is
 * authorized several times.
 */
export async function identifyOnce(
  rules: AccessRules,
  credentials: Credentials,
  context: RequestOrigin,
): Promise<Identification> {
  const failure = failures.get(context);
  if (failure) return failure;
  const identified = await identify(rules, credentials, context);
  if (identified.status === "invalid") failures.set(context, identified);
  if (identified.status === "principal") context.tokenId = identified.principal.tokenId;
  return identified;
}

/** Identifies by the headers, and requests for pages also by their session. */
export function identifyRequest(
  rules: AccessRules,
  { headers, context }: RequestHeaders,
): Promise<PageIdentification> {
  if (rules.identifyPage) return rules.identifyPage({ headers, context });
  return identifyOnce(rules, readCredentials(headers), context);
}

export type AccessRequest = {
  readonly identified: Identified;
  readonly protocol: Protocol;
  readonly action: Action;
  readonly name: string | undefined;
};

/** Opens the decisions about one caller and the given names. */
export async function openDecisions(
  rules: AccessRules,
  { origin, identified, names, hasHidden }: DecisionSubject,
) {
  const principal = identified.status === "principal" ? identified.principal : undefined;
  const view = hasHidden ? await rules.views?.viewOf(principal, names) : undefined;
  return {
    on: (access: Omit<AccessRequest, "identified">) =>
      decide(rules, origin, { ...access, identified, view }),
    /** Whether only some callers may see a name. */
    isLimited: (name: string) => view?.limited(name) !== undefined,
  };
}

type DecisionSubject = {
  readonly origin: RequestOrigin;
  readonly identified: Identified;
  readonly names: ViewedNames;
  /** See `hasHiddenNames`. */
  readonly hasHidden: boolean;
};

/**
 * Whether some names are not public. Await it together with the lookup of the caller: a database
 * then compares its version once for both.
 */
export async function hasHiddenNames({ views }: Pick<AccessRules, "views">): Promise<boolean> {
  return (await views?.any()) === true;
}

/** Applies the rule of access, and adds the request's id to the caller. */
function decide(
  rules: AccessRules,
  { id: requestId, address }: RequestOrigin,
  { identified, view, ...access }: AccessRequest & { readonly view: View | undefined },
) {
  const principal = identified.status === "principal" ? identified.principal : undefined;
  const { anonymousPull, now } = rules;
  const { name } = access;
  const limited = name === undefined ? undefined : view?.limited(name);
  const request = { ...access, address, now: now(), anonymousPull, limited };
  const decision = allow(principal, request);
  // A hidden name is refused for the same reasons as an unknown one, in the same order.
  const ofUnknown = limited ? allow(principal, { ...request, limited: undefined }) : decision;
  const unproven = isAllowed(ofUnknown)
    ? reasonBySecondFactor(rules, principal, access)
    : undefined;
  if (unproven !== undefined) return { status: "denied", reason: unproven } as const;
  if (decision.status === "absent") {
    return { ...decision, caller: { ...decision.caller, requestId } };
  }
  if (decision.status !== "granted") return decision;
  const granted = { ...decision, caller: { ...decision.caller, requestId } };
  if (!view || name !== undefined) return granted;
  // For names that are not public, the limits of a token count even where reading is public.
  const strict = allow(principal, { ...request, anonymousPull: false });
  const isWhole =
    strict.status === "granted" && (strict.names === undefined || granted.names !== undefined);
  const hidden = view.hiddenNames(isWhole ? undefined : "anonymous");
  return hidden ? { ...granted, hidden } : granted;
}

/**
 * Returns why a user whose last sign-in had no second factor may not change a name that requires
 * one; undefined when the user may.
 */
export function reasonBySecondFactor(
  { mfaPatterns: patterns }: Pick<AccessRules, "mfaPatterns">,
  requester: Requester | undefined,
  { action, protocol, name }: Omit<AccessRequest, "identified">,
): string | undefined {
  if (!patterns || name === undefined || action === "read" || action === "admin") return undefined;
  const user = requester?.user;
  if (!user || user.hasSecondFactor === true) return undefined;
  if (!patterns.some((pattern) => coversName(pattern, protocol, name))) return undefined;
  return (
    `Changes of ${name} require a second factor, and the last sign-in of ${user.handle} had ` +
    "none. Sign in on the web page of this registry with a second factor, and repeat the command."
  );
}

/** A page asks for the confirmation; any other request is refused. */
function allow(
  requester: Requester | undefined,
  request: RequiredAccess,
): Exclude<Decision, { readonly status: "step-up" }> {
  const decision = authorize(requester, request);
  if (decision.status !== "step-up") return decision;
  return { status: "denied", reason: UNCONFIRMED, unconfirmed: decision.caller };
}

/** Whether only the confirmation is missing, if anything. */
function isAllowed(decision: Exclude<Decision, { readonly status: "step-up" }>): boolean {
  if (decision.status === "denied") return decision.unconfirmed !== undefined;
  return decision.status === "granted";
}

const UNCONFIRMED = "Confirm this with a passkey or sign in again first.";

type Refused = Extract<Decision, { readonly status: "denied" | "absent" | "anonymous" }>;

/** The caller of a request that nothing forbids so far, but perhaps a missing confirmation. */
function callerIn(decision: Decision): Caller | undefined {
  if (decision.status === "granted") return decision.caller;
  return decision.status === "denied" ? decision.unconfirmed : undefined;
}

/**
 * Applies the owners of the name to a decision. Asks for owners only when nothing else forbids the
 * request, and never for reads or for tokens of the operators.
 */
export async function withOwners<D extends Decision>(
  rules: Pick<AccessRules, "anonymousPull" | "now" | "names">,
  { address }: RequestOrigin,
  { identified, unowned, ...access }: AccessRequest & { readonly unowned: D },
): Promise<D | Refused> {
  const { names } = rules;
  const { protocol, action, name } = access;
  const caller = callerIn(unowned);
  if (!caller || !names || name === undefined) return unowned;
  if (identified.status !== "principal" || action === "read" || action === "admin") return unowned;
  const { principal } = identified;
  const holderId = holderOf(principal);
  if (holderId === undefined || isUnlimited(principal)) return unowned;
  const ownable = { protocol, name: nameKeyOf(protocol, name) };
  const standing = await names.ownerships.standing(ownable, holderId);
  const ownership = { standing, newNames: names.newNames };
  const { anonymousPull, now } = rules;
  const decision = allow(principal, { ...access, address, now: now(), anonymousPull, ownership });
  if (names.mode === "report") {
    if (decision.status === "denied" && !decision.unconfirmed) {
      const { reason } = decision;
      names.report({ caller, protocol, name: ownable.name, action, reason });
    }
    return unowned;
  }
  if (decision.status !== "granted") return decision;
  if (unowned.status !== "granted") return unowned;
  const ownedName = { isNew: isNewName(standing), owners: standing.owners };
  return { ...unowned, caller: { ...unowned.caller, ownedName } };
}
