import { tooManyRefreshTokens } from "@sealhouse/identity";
import type { RefreshTokenRecord, RefreshTokenStore } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

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
const OF_TOKEN = defineStatement(
  "refresh-tokens-of-token",
  { tokenId: param.text(36) },
  (db, { tokenId }) =>
    db.selectFrom("host_refresh_tokens").select(COLUMNS).where("token_id", "=", tokenId),
);
const DROP_EXPIRED = defineStatement(
  "refresh-tokens-drop-expired",
  { at: param.time },
  (db, { at }) => db.deleteFrom("host_refresh_tokens").where("expires_at", "<=", at),
);
const DROP = defineStatement("refresh-token-drop", { hash: param.text(64) }, (db, { hash }) =>
  db.deleteFrom("host_refresh_tokens").where("hash", "=", hash),
);
const INSERT = defineStatement(
  "refresh-token-insert",
  {
    hash: param.text(64),
    tokenId: param.text(36),
    client: param.text(NAME_LENGTH.actor),
    createdAt: param.time,
    expiresAt: param.time,
    lastUsedAt: param.optional(param.time),
  },
  (db, parameters) => db.insertInto("host_refresh_tokens").values(inColumns(parameters)),
);

export function createRefreshTokens(queries: Queries, changes: Changes): RefreshTokenStore {
  return {
    async find(hash) {
      const row = await queries.one(BY_HASH, { hash });
      return row && refreshTokenOf(row);
    },
    async used(hash, time, expiresAt) {
      await queries.run(USED, { hash, at: time, expiresAt });
    },
    insert: (record, most) => insert(changes, record, most),
  };
}

function insert(
  { transaction }: Changes,
  record: RefreshTokenRecord,
  most: Parameters<RefreshTokenStore["insert"]>[1],
): Promise<void> {
  return transaction(async ({ queries }) => {
    const client = storableText(record.client);
    const { tokenId, createdAt, lastUsedAt } = record;
    await queries.run(DROP_EXPIRED, { at: createdAt });
    const records = (await queries.all(OF_TOKEN, { tokenId })).map(refreshTokenOf);
    for (const { hash } of tooManyRefreshTokens(records, client, most)) {
      await queries.run(DROP, { hash });
    }
    await queries.run(INSERT, { ...record, client, lastUsedAt });
  });
}

function refreshTokenOf(row: RowOf<typeof BY_HASH>): RefreshTokenRecord {
  return {
    hash: row.hash,
    tokenId: row.token_id,
    client: row.client,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  };
}
