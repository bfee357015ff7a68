import type { Protocol } from "@sealhouse/request-types";
import type { Action, Decision, RequiredAccess } from "../authorize.ts";
import { authorize, isUnlimited } from "../authorize.ts";
import type { NameRules } from "../ownership/name-rules.ts";
import { isNewName } from "../ownership/name-standing.ts";
import { nameKeyOf } from "../ownership/reserved-pattern.ts";
import { holderOf } from "../principal.ts";
import type { Requester } from "../principal.ts";
import type { View, ViewedNames } from "../visibility/visibility.ts";
import type { AccessRules } from "./access-rules.ts";
import type {
  Identified,
  PageIdentification,
  RequestHeaders,
  RequestOrigin,
} from "./identification.ts";
import { identifyRequest } from "./identification.ts";

/** An action on a name, or on a protocol where the name is undefined. */
export type Target = {
  readonly protocol: Protocol;
  readonly action: Action;
  /** An administrative action that changes nothing. */
  readonly changesNothing?: true;
  readonly name: string | undefined;
};

/** Rights of the caller of a request. Decides without another lookup, except of owners. */
export type RequestAccess = {
  /** Decides by all but the owners of the name. */
  readonly on: (target: Target) => Decision;
  /**
   * Also decides by the owners. Asks for them only when nothing else forbids the request, and never
   * for reads or for tokens of the operators.
   */
  owned(target: Target): Promise<Decision>;
  /** Whether only some callers may see a name. */
  isLimited(name: string): boolean;
  /** Returns the rights of an anonymous caller on the same names. */
  ofAnonymous(): RequestAccess;
};

type Subject = {
  readonly origin: RequestOrigin;
  readonly identified: Identified;
  readonly names: ViewedNames;
  /** See `hasHiddenNames`. */
  readonly hasHidden: boolean;
};

/** The rules that a decision depends on, apart from who makes the request. */
export type DecisionRules = Pick<
  AccessRules,
  "anonymousPull" | "now" | "mfaPatterns" | "names" | "views"
>;

/** Opens the access of a caller to the given names. */
export async function openAccess(
  rules: DecisionRules,
  { origin, identified, names, hasHidden }: Subject,
): Promise<RequestAccess> {
  const requester = identified.status === "principal" ? identified.principal : undefined;
  const view = hasHidden ? await rules.views?.viewOf(requester, names) : undefined;
  return accessOf(rules, origin, { requester, view });
}

/** A request with invalid credentials, or of a caller who sent too many of them. */
export type Unidentified = Exclude<PageIdentification, Identified>;

/** Identifies the caller of a request, and opens its access to the given names. */
export async function openFor(
  rules: AccessRules,
  names: ViewedNames,
  request: RequestHeaders,
): Promise<Unidentified | { readonly identified: Identified; readonly access: RequestAccess }> {
  const [identified, hasHidden] = await Promise.all([
    identifyRequest(rules, request),
    hasHiddenNames(rules),
  ]);
  if (identified.status === "limited" || identified.status === "invalid") return identified;
  const access = await openAccess(rules, { origin: request.context, identified, names, hasHidden });
  return { identified, access };
}

/**
 * Whether some names are not public. Await it together with the lookup of the caller: a database
 * then compares its version once for both.
 */
export async function hasHiddenNames({ views }: Pick<AccessRules, "views">): Promise<boolean> {
  return (await views?.any()) === true;
}

type Asker = { readonly requester: Requester | undefined; readonly view: View | undefined };

function accessOf(rules: DecisionRules, origin: RequestOrigin, asker: Asker): RequestAccess {
  const { requester, view } = asker;
  const requestOf = ({ name, ...target }: Target): RequiredAccess => ({
    ...target,
    name,
    address: origin.address,
    now: rules.now(),
    anonymousPull: rules.anonymousPull,
    limited: name === undefined ? undefined : view?.limited(name),
    mfaPatterns: rules.mfaPatterns,
  });
  const on = (target: Target): Decision => {
    const request = requestOf(target);
    const decision = withRequestId(authorize(requester, request), origin);
    if (decision.status !== "granted" || !view || target.name !== undefined) return decision;
    // For names that are not public, the limits of a token count even where reading is public.
    const strict = authorize(requester, { ...request, anonymousPull: false });
    const isWhole =
      strict.status === "granted" && (strict.names === undefined || decision.names !== undefined);
    const hidden = (isWhole ? view : view.ofAnonymous()).hiddenNames();
    return hidden ? { ...decision, hidden } : decision;
  };
  return {
    on,
    async owned(target) {
      const unowned = on(target);
      const { names } = rules;
      if (!names || !requester || !isAllowed(unowned)) return unowned;
      const request = { ...requestOf(target), limited: undefined };
      return (await byOwners(names, requester, { request, unowned })) ?? unowned;
    },
    isLimited: (name) => view?.limited(name) !== undefined,
    ofAnonymous: () => accessOf(rules, origin, { requester: undefined, view: view?.ofAnonymous() }),
  };
}

type Allowed = Extract<Decision, { readonly status: "granted" | "step-up" }>;

/** Whether nothing forbids the request so far; a session may have to confirm it. */
function isAllowed(decision: Decision): decision is Allowed {
  return decision.status === "granted" || decision.status === "step-up";
}

function withRequestId(decision: Decision, { id: requestId }: RequestOrigin): Decision {
  return "caller" in decision
    ? { ...decision, caller: { ...decision.caller, requestId } }
    : decision;
}

/** Returns the decision with the owners of the name; undefined where owners do not decide. */
async function byOwners(
  names: NameRules,
  requester: Requester,
  { request, unowned }: { readonly request: RequiredAccess; readonly unowned: Allowed },
): Promise<Decision | undefined> {
  const { protocol, action, name } = request;
  const holderId = holderOf(requester);
  if (name === undefined || action === "read" || action === "admin") return undefined;
  if (holderId === undefined || isUnlimited(requester)) return undefined;
  const ownable = { protocol, name: nameKeyOf(protocol, name) };
  const standing = await names.ownerships.standing(ownable, holderId);
  const ownership = { standing, newNames: names.newNames };
  const decision = authorize(requester, { ...request, ownership });
  if (names.mode === "report") {
    if (decision.status === "denied") {
      const { reason } = decision;
      names.report({ caller: unowned.caller, protocol, name: ownable.name, action, reason });
    }
    return undefined;
  }
  if (!isAllowed(decision)) return decision;
  if (unowned.status !== "granted") return undefined;
  const ownedName = { isNew: isNewName(standing), owners: standing.owners };
  return { ...unowned, caller: { ...unowned.caller, ownedName } };
}
