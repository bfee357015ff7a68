import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createLoginSessions } from "./login-sessions.ts";
import { createPasskeyChallenges } from "./passkey-challenges.ts";
import { createPasskeys } from "./passkeys.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";
import { createSignInFailures } from "./sign-in-failures.ts";
import { createTokenHolders } from "./token-holders.ts";
import { createTokenLeaks } from "./token-leaks.ts";
import { createTokenNotices } from "./token-notices.ts";
import { createTokens } from "./tokens.ts";

/** Composes the ports of identity. */
export function createIdentityPorts({ queries, changes }: PortContext): IdentityPorts {
  return {
    tokens: { ...createTokens(queries, changes), ...createTokenLeaks(changes) },
    passkeys: { ...createPasskeys(queries, changes), challenges: createPasskeyChallenges(queries) },
    tokenHolders: createTokenHolders(queries),
    tokenNotices: createTokenNotices(queries, changes),
    refreshTokens: createRefreshTokens(queries, changes),
    loginSessions: createLoginSessions(queries, changes),
    signInFailures: createSignInFailures(queries),
  };
}

type IdentityPorts = Pick<
  Database,
  | "tokens"
  | "passkeys"
  | "tokenHolders"
  | "tokenNotices"
  | "refreshTokens"
  | "loginSessions"
  | "signInFailures"
>;
