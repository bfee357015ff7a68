import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createSignInFailures } from "./sign-in-failures.ts";
import { createTokens } from "./tokens.ts";
import { createPolicies } from "../trust/policies.ts";

/** Composes the ports of identity. */
export function createIdentityPorts({
  queries,
  changes,
}: PortContext): Pick<
  Database,
  "tokens" | "refreshTokens" | "loginSessions" | "signInFailures" | "policies"
> {
  return {
    tokens: createTokens(queries, changes),
    refreshTokens: createRefreshTokens(queries, changes),
    loginSessions: createLoginSessions(queries, changes),
    signInFailures: createSignInFailures(queries),
    policies: createPolicies(queries, changes),
  };
}
