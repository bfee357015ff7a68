import type { Caller } from "@sealhouse/request-types";
import type { LoginDecisions, SignInPorts } from "./sign-in-app.ts";
import { DEFAULT_EXPIRY, LOGIN_WAITS_MS, parseExpiry } from "@sealhouse/identity";
import type {
  AccessRules,
  GrantedToken,
  LoginCodes,
  LoginSessions,
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
    const isOver = expiresAt <= rules.now();
    return {
      code: session.code,
      purpose,
      state: deniedAt ? "denied" : grant ? "agreed" : isOver ? "ended" : "waiting",
      until: expiresAt,
      ...(address !== undefined && { address }),
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
    userOf: (from) => sessionOf(from)?.user?.handle,
    async decide(from, typed, isApproved) {
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
      const grant = { by, token: tokenFor(user, now) };
      await loginSessions.decide(
        session.code,
        isApproved ? { status: "agreed", grant, until } : { status: "denied", by },
        now,
      );
    },
  };
}

/** A token of the user for npm. The user's role limits its scopes at each use. */
function tokenFor({ id, handle }: SessionUser, now: Date): GrantedToken {
  const expiresAt = parseExpiry(DEFAULT_EXPIRY, now);
  return {
    name: "npm login",
    owner: handle,
    userId: id,
    scopes: ["read", "write"],
    protocols: ["npm"],
    patterns: [],
    networks: [],
    ...(expiresAt && { expiresAt }),
  };
}
