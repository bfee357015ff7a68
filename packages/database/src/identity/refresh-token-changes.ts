import { tooManyRefreshTokens } from "@sealhouse/identity";
import type { RefreshTokenRecord, RefreshTokenStore } from "@sealhouse/identity";
import { RefreshToken } from "../entities/identity.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import { REFRESH_TOKENS, refreshTokenOf } from "./refresh-token-lookup.ts";

export function insertRefreshToken(
  { transaction }: Changes,
  record: RefreshTokenRecord,
  most: Parameters<RefreshTokenStore["insert"]>[1],
): Promise<void> {
  return transaction(async ({ identity, read }) => {
    const client = storableText(record.client);
    await identity.nativeDelete(RefreshToken, { expiresAt: { $lte: record.createdAt } });
    const kept = (await read(REFRESH_TOKENS, [record.tokenId])).map(refreshTokenOf);
    const gone = tooManyRefreshTokens(kept, client, most).map(({ hash }) => hash);
    if (gone.length > 0) await identity.nativeDelete(RefreshToken, { hash: { $in: [...gone] } });
    await identity.insert(RefreshToken, { ...record, client });
  });
}
