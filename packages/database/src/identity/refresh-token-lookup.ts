import type { RefreshTokenRecord, RefreshTokenStore } from "@sealhouse/identity";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/statement.ts";

const COLUMNS = ["hash", "token_id", "client", "created_at", "expires_at", "last_used_at"] as const;
const HASH = { hash: param.text(64) };

const BY_HASH = defineStatement("refresh-token-by-hash", HASH, (db, { hash }) =>
  db.selectFrom("host_refresh_tokens").select(COLUMNS).where("hash", "=", hash),
);
const USED = defineStatement(
  "refresh-token-used",
  { ...HASH, at: param.time, expiresAt: param.time },
  (db, { hash, at, expiresAt }) =>
    db
      .updateTable("host_refresh_tokens")
      .set({ last_used_at: at, expires_at: expiresAt })
      .where("hash", "=", hash),
);
/** All of one API token. */
export const REFRESH_TOKENS = defineStatement(
  "refresh-tokens-of-token",
  { tokenId: param.text(36) },
  (db, { tokenId }) =>
    db.selectFrom("host_refresh_tokens").select(COLUMNS).where("token_id", "=", tokenId),
);

export function createRefreshTokenLookup(
  queries: Queries,
): Pick<RefreshTokenStore, "find" | "used"> {
  return {
    async find(hash) {
      const row = await queries.one(BY_HASH, { hash });
      return row && refreshTokenOf(row);
    },
    async used(hash, time, expiresAt) {
      await queries.run(USED, { hash, at: time, expiresAt });
    },
  };
}

export function refreshTokenOf(row: RowOf<typeof BY_HASH>): RefreshTokenRecord {
  return {
    hash: row.hash,
    tokenId: row.token_id,
    client: row.client,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  };
}
