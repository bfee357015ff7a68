import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createLoginSessionChanges } from "./login-session-changes.ts";
import { createLoginSessionLookup } from "./login-session-lookup.ts";
import { insertRefreshToken } from "./refresh-token-changes.ts";
import { createRefreshTokenLookup } from "./refresh-token-lookup.ts";
import { insertToken, replaceToken, revokeToken } from "./token-changes.ts";
import { createTokenLookup } from "./token-lookup.ts";

/** Composes the ports of identity. */
export function createIdentityPorts({
  queries,
  changes,
}: PortContext): Pick<Database, "tokens" | "refreshTokens" | "loginSessions"> {
  return {
    tokens: {
      ...createTokenLookup(queries),
      insert: (token, by) => insertToken(changes, token, by),
      replace: (id, token, by) => replaceToken(changes, { id, token, by }),
      revoke: (id, time, by) => revokeToken(changes, { id, at: time, by }),
    },
    refreshTokens: {
      ...createRefreshTokenLookup(queries),
      insert: (record, most) => insertRefreshToken(changes, record, most),
    },
    loginSessions: {
      ...createLoginSessionLookup(queries),
      ...createLoginSessionChanges(changes),
    },
  };
}
