import { tooManyRefreshTokens } from "@sealhouse/identity";
import type { RefreshTokenRecord, RefreshTokenStore } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { REFRESH_TOKENS, refreshTokenOf } from "./refresh-token-lookup.ts";

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
  (db, parameters) =>
    db.insertInto("host_refresh_tokens").values({
      hash: parameters.hash,
      token_id: parameters.tokenId,
      client: parameters.client,
      created_at: parameters.createdAt,
      expires_at: parameters.expiresAt,
      last_used_at: parameters.lastUsedAt,
    }),
);

export function insertRefreshToken(
  { transaction }: Changes,
  record: RefreshTokenRecord,
  most: Parameters<RefreshTokenStore["insert"]>[1],
): Promise<void> {
  return transaction(async ({ queries }) => {
    const client = storableText(record.client);
    const { tokenId, createdAt, lastUsedAt } = record;
    await queries.run(DROP_EXPIRED, { at: createdAt });
    const records = (await queries.all(REFRESH_TOKENS, { tokenId })).map(refreshTokenOf);
    for (const { hash } of tooManyRefreshTokens(records, client, most)) {
      await queries.run(DROP, { hash });
    }
    await queries.run(INSERT, { ...record, client, lastUsedAt });
  });
}
