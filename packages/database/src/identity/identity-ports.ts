import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createSignInFailures } from "./sign-in-failures.ts";
import { createSessions } from "./sessions.ts";
import { createTokens } from "./tokens.ts";
import { createWaitingSignIns } from "./waiting-sign-ins.ts";

/** Composes the ports of identity. */
export function createIdentityPorts({
  queries,
  changes,
}: PortContext): Pick<
  Database,
  "tokens" | "refreshTokens" | "loginSessions" | "sessions" | "waitingSignIns" | "signInFailures"
> {
  return {
    tokens: createTokens(queries, changes),
    refreshTokens: createRefreshTokens(queries, changes),
    loginSessions: createLoginSessions(queries, changes),
    sessions: createSessions(queries, changes),
    waitingSignIns: createWaitingSignIns(queries, changes),
    signInFailures: createSignInFailures(queries),
  };
}
