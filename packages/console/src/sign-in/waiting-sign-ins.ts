import type { Caller } from "@sealhouse/request-types";
import type { LoginDecisions, SignInPorts } from "./sign-in-app.ts";
import { ADMINISTRATION_DAYS } from "./sign-in-page.ts";
import {
  administrationOf,
  DEFAULT_EXPIRY,
  isAdministrative,
  LOGIN_WAITS_MS,
  parseExpiry,
  scopesBeyond,
} from "@sealhouse/identity";
import type {
  AccessRules,
  GrantedToken,
  LoginCodes,
  LoginSession,
  LoginSessions,
  Scope,
  SessionUser,
} from "@sealhouse/identity";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Lookups of the sign-in page. */
export type SignInSources = {
  readonly loginSessions: Pick<LoginSessions, "findByCode" | "decide">;
  readonly loginCodes: LoginCodes;
  readonly rules: Pick<AccessRules, "now" | "contexts">;
};

/** Returns the port that finds sign-ins by the code in the URL. */
export function signInPages({ loginCodes, rules }: SignInSources): SignInPorts["waiting"] {
  return async (typed, from) => {
    const { address: asker } = rules.contexts.of(from.request, from.env);
    const session = await loginCodes.find(typed, asker);
    if (session === undefined || session === "limited") return session;
    const { purpose, grant, deniedAt, expiresAt, address } = session;
    const scopes = administrationOf(session);
    const isOver = expiresAt <= rules.now();
    return {
      code: session.code,
      purpose,
      state: deniedAt ? "denied" : grant ? "agreed" : isOver ? "ended" : "waiting",
      until: expiresAt,
      ...(address !== undefined && { address }),
      ...(scopes && { scopes }),
    };
  };
}

/** Lets a user approve the sign-in of a client that the user started. */
export function loginDecisions(
  { loginSessions, loginCodes, rules }: SignInSources,
  ports: Pick<SessionPorts, "sessionOf" | "forms" | "rules">,
  confirm: AskConfirmation,
): LoginDecisions {
  const {
    sessionOf,
    forms,
    rules: { contexts },
  } = ports;
  return {
    forms,
    confirm,
    userOf: (from) => sessionOf(from)?.user,
    async decide(from, typed, decision) {
      const browser = sessionOf(from);
      const user = browser?.user;
      if (!user) return;
      const { id: requestId, address } = contexts.of(from.request, from.env);
      const session = await loginCodes.find(typed, address);
      if (session === undefined || session === "limited" || session.purpose !== "login") return;
      const by: Caller = {
        actor: user.handle,
        sessionHash: browser.hash,
        // The role limits the token at each use.
        needs: undefined,
        requestId,
        ...(address !== undefined && { address }),
      };
      const now = rules.now();
      const until = new Date(now.getTime() + LOGIN_WAITS_MS);
      const token =
        decision.isApproved && tokenFor(user, now, { session, chosen: decision.scopes });
      await loginSessions.decide(
        session.code,
        token ? { status: "agreed", grant: { by, token }, until } : { status: "denied", by },
        now,
      );
    },
  };
}

/**
 * A token of the user for npm, or for the administration that the client asks for. The user's role
 * limits its scopes at each use. Undefined when the role lacks a scope that was chosen.
 */
function tokenFor(
  { id, handle, role }: SessionUser,
  now: Date,
  { session, chosen }: { readonly session: LoginSession; readonly chosen: readonly Scope[] },
): GrantedToken | undefined {
  const administers = administrationOf(session) !== undefined;
  const administration = chosen.filter((scope) => scope === "admin" || isAdministrative(scope));
  const scopes = administers ? administration : (["read", "write"] as const);
  if (scopes.length === 0) return undefined;
  if (administers && scopesBeyond(role, scopes).length > 0) return undefined;
  const expiresAt = parseExpiry(administers ? `${ADMINISTRATION_DAYS}d` : DEFAULT_EXPIRY, now);
  return {
    name: administers ? "sealhouse login" : "npm login",
    owner: handle,
    userId: id,
    scopes,
    // Who administers must not be limited to a protocol.
    protocols: administers ? [] : ["npm"],
    patterns: [],
    networks: [],
    ...(expiresAt && { expiresAt }),
  };
}
