import type { RefreshTokenRecord, RefreshTokenStore } from "@sealhouse/identity";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { optionalTimeOf, textOf, timeOf } from "../raw/row.ts";

const COLUMNS = "hash, token_id, client, created_at, expires_at, last_used_at";
const BY_HASH: Statement = {
  name: "refresh-token-by-hash",
  sql: `select ${COLUMNS} from host_refresh_tokens where hash = ?`,
};
const USED: Statement = {
  name: "refresh-token-used",
  sql: "update host_refresh_tokens set last_used_at = ?, expires_at = ? where hash = ?",
};
/** All of one API token. */
export const REFRESH_TOKENS: Statement = {
  name: "refresh-tokens-of-token",
  sql: `select ${COLUMNS} from host_refresh_tokens where token_id = ?`,
};

export function createRefreshTokenLookup(
  port: QueryPort,
): Pick<RefreshTokenStore, "find" | "used"> {
  return {
    async find(hash) {
      const row = await port.one(BY_HASH, [hash]);
      return row && refreshTokenOf(row);
    },
    async used(hash, at, expiresAt) {
      await port.run(USED, [at, expiresAt, hash]);
    },
  };
}

export function refreshTokenOf(row: Row): RefreshTokenRecord {
  const lastUsedAt = optionalTimeOf(row, "last_used_at");
  return {
    hash: textOf(row, "hash"),
    tokenId: textOf(row, "token_id"),
    client: textOf(row, "client"),
    createdAt: timeOf(row, "created_at"),
    expiresAt: timeOf(row, "expires_at"),
    ...(lastUsedAt && { lastUsedAt }),
  };
}
