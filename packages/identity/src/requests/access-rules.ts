import type { Protocol } from "@sealhouse/request-types";
import type { Action, Decision } from "../authorize.ts";
import { authorize, isUnlimited } from "../authorize.ts";
import type { Authenticator } from "../authenticator.ts";
import type { BearerTokens } from "../bearer-tokens.ts";
import type { Credentials } from "../credentials.ts";
import { readCredentials } from "../credentials.ts";
import type { NameRules } from "../ownership/name-rules.ts";
import { isNewName } from "../ownership/name-standing.ts";
import type { NameAccess } from "../ownership/name-standing.ts";
import { nameKeyOf } from "../ownership/reserved-pattern.ts";
import type { Holder, Principal } from "../principal.ts";
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
  readonly contexts: RequestOrigins;
  readonly anonymousPull: boolean;
  readonly now: () => Date;
  /** Absent where names have no owners. */
  readonly names?: NameRules | undefined;
  /** Identifies requests for pages. Undefined = only credentials in headers count. */
  readonly identifyPage?: IdentifyPage;
};

/** Identifies a request for a page, by its session or by the credentials in its headers. */
export type IdentifyPage = (request: RequestHeaders) => Promise<PageIdentification>;

export type PageIdentification =
  | Identification
  /** A session, which belongs to a token or directly to a user. */
  | { readonly status: "principal"; readonly principal: Holder };

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

/** Applies the rule of access, and adds the request's id to the caller. */
export function decide(
  { anonymousPull, now }: Pick<AccessRules, "anonymousPull" | "now">,
  { id: requestId, address }: RequestOrigin,
  { identified, ownership, ...access }: AccessRequest & { readonly ownership?: NameAccess },
): Decided {
  const principal = identified.status === "principal" ? identified.principal : undefined;
  const request = { ...access, address, now: now(), anonymousPull, ownership };
  const decision = authorize(principal, request);
  if (decision.status === "absent") return { status: "denied", reason: ABSENT };
  if (decision.status === "step-up") return { status: "denied", reason: UNCONFIRMED };
  if (decision.status !== "granted") return decision;
  return { ...decision, caller: { ...decision.caller, requestId } };
}

type Decided = Exclude<Decision, { readonly status: "absent" | "step-up" }>;

const ABSENT = "There is no such name.";
const UNCONFIRMED = "Confirm this with a passkey or sign in again first.";

/**
 * Applies the rule of access and the owners of the name. Asks for owners only when nothing else
 * forbids the request, and never for reads or for tokens of the operators.
 */
export async function decideByOwners(
  rules: Pick<AccessRules, "anonymousPull" | "now" | "names">,
  origin: RequestOrigin,
  request: AccessRequest,
): Promise<Decided> {
  const unowned = decide(rules, origin, request);
  const { names } = rules;
  const { identified, protocol, action, name } = request;
  if (unowned.status !== "granted" || !names || name === undefined) return unowned;
  if (identified.status !== "principal" || action === "read" || action === "admin") return unowned;
  const holderId = holderOf(identified.principal);
  if (holderId === undefined || isUnlimited(identified.principal)) return unowned;
  const ownable = { protocol, name: nameKeyOf(protocol, name) };
  const standing = await names.ownerships.standing(ownable, holderId);
  const ownership = { standing, newNames: names.newNames };
  const decision = decide(rules, origin, { ...request, ownership });
  if (names.mode === "report") {
    if (decision.status === "denied") {
      const { reason } = decision;
      names.report({ caller: unowned.caller, protocol, name: ownable.name, action, reason });
    }
    return unowned;
  }
  if (decision.status !== "granted") return decision;
  const ownedName = { isNew: isNewName(standing), owners: standing.owners };
  return { ...decision, caller: { ...decision.caller, ownedName } };
}
