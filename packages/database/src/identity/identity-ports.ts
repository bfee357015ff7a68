import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createSignInFailures } from "./sign-in-failures.ts";
import { createNameVisibilities } from "../visibility/name-visibilities.ts";
import { createTokens } from "./tokens.ts";

/** Composes the ports of identity. */
export function createIdentityPorts({
  queries,
  changes,
}: PortContext): Pick<
  Database,
  "tokens" | "refreshTokens" | "loginSessions" | "signInFailures" | "visibilities"
> {
  return {
    tokens: createTokens(queries, changes),
    refreshTokens: createRefreshTokens(queries, changes),
    loginSessions: createLoginSessions(queries, changes),
    signInFailures: createSignInFailures(queries),
    visibilities: createNameVisibilities({ queries, changes }),
  };
}
