import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createSignInFailures } from "./sign-in-failures.ts";
import { createTokenHolders } from "./token-holders.ts";
import { createTokenLeaks } from "./token-leaks.ts";
import { createTokenNotices } from "./token-notices.ts";
import { createTokens } from "./tokens.ts";

/** Composes the ports of identity. */
export function createIdentityPorts({
  queries,
  changes,
}: PortContext): Pick<
  Database,
  "tokens" | "tokenHolders" | "tokenNotices" | "refreshTokens" | "loginSessions" | "signInFailures"
> {
  return {
    tokens: { ...createTokens(queries, changes), ...createTokenLeaks(changes) },
    tokenHolders: createTokenHolders(queries),
    tokenNotices: createTokenNotices(queries, changes),
    refreshTokens: createRefreshTokens(queries, changes),
    loginSessions: createLoginSessions(queries, changes),
    signInFailures: createSignInFailures(queries),
  };
}
