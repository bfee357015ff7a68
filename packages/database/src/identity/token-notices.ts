import { SYSTEM } from "@sealhouse/events";
import type { ExpiringToken, TokenNotices } from "@sealhouse/events";
import { sql } from "#kysely";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";

const EXPIRING = defineStatement(
  "tokens-expiring",
  { since: param.time, until: param.time },
  (db, { since, until }) =>
    db
      .selectFrom("host_tokens as t")
      .select(["t.id", "t.name", "t.owner", "t.created_at", "t.expires_at", "t.noticed_days"])
      .where("t.expires_at", ">", since)
      .where("t.expires_at", "<=", until)
      .where("t.revoked_at", "is", null)
      .where("t.policy_id", "is", null)
      .where((token) =>
        token.or([token("t.noticed_days", "is", null), token("t.noticed_days", ">", sql.lit(0))]),
      )
      .where((token) =>
        token.not(
          token.exists(
            db
              .selectFrom("host_tokens as successor")
              .select(sql.lit(1).as("one"))
              .where("successor.replaces", "=", sql.ref<string>("t.id"))
              .where("successor.revoked_at", "is", null),
          ),
        ),
      )
      .orderBy("t.expires_at"),
);
const NOTICED = defineStatement(
  "token-noticed",
  { id: param.text(36), days: param.whole, expiresAt: param.time },
  (db, { id, days, expiresAt }) =>
    db
      .updateTable("host_tokens")
      .set({ noticed_days: days })
      .where("id", "=", id)
      .where("expires_at", "=", expiresAt)
      .where("revoked_at", "is", null)
      .where((token) =>
        token.or([token("noticed_days", "is", null), token("noticed_days", ">", days)]),
      ),
);

/** Notices about tokens that expire. */
export function createTokenNotices(queries: Queries, changes: Changes): TokenNotices {
  return {
    async expiring(window) {
      const rows = await queries.all(EXPIRING, window);
      return rows.flatMap((row): readonly ExpiringToken[] => {
        const { id, name, owner, created_at, expires_at, noticed_days } = row;
        if (!expires_at) return [];
        return [
          {
            id,
            name,
            ...(owner !== null && { owner }),
            createdAt: created_at,
            expiresAt: expires_at,
            ...(noticed_days !== null && { noticedDays: noticed_days }),
          },
        ];
      });
    },
    notice: (token, days) =>
      changes.transaction(async (unit) => {
        const { id, name, owner, expiresAt } = token;
        if ((await unit.queries.run(NOTICED, { id, days, expiresAt })) === 0) return false;
        await changes.event(unit, {
          type: "token.expires",
          subject: `token/${id}`,
          caller: SYSTEM,
          detail: {
            name,
            days,
            expiresAt: expiresAt.toISOString(),
            ...(owner !== undefined && { owner }),
          },
        });
        return true;
      }),
  };
}
