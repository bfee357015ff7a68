import type { PasskeyChallenges } from "@sealhouse/identity";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const HASH = { hash: param.text(64) };

const COLUMNS = ["session_hash", "user_id", "purpose", "subject", "expires_at"] as const;

const INSERT = defineStatement(
  "challenge-insert",
  {
    ...HASH,
    sessionHash: param.text(64),
    userId: param.text(36),
    purpose: param.text(32),
    subject: param.optional(param.longText),
    createdAt: param.time,
    expiresAt: param.time,
  },
  (db, parameters) => db.insertInto("host_challenges").values(inColumns(parameters)),
);
const FIND = defineStatement("challenge-find", HASH, (db, { hash }) =>
  db.selectFrom("host_challenges").select(COLUMNS).where("hash", "=", hash),
);
const DROP = defineStatement("challenge-drop", HASH, (db, { hash }) =>
  db.deleteFrom("host_challenges").where("hash", "=", hash),
);
const DROP_EXPIRED = defineStatement("challenges-expired", { at: param.time }, (db, { at }) =>
  db.deleteFrom("host_challenges").where("expires_at", "<=", at),
);

/** Challenges that passkeys sign. */
export function createPasskeyChallenges(queries: Queries): PasskeyChallenges {
  return {
    async add(challenge) {
      await queries.run(DROP_EXPIRED, { at: challenge.createdAt });
      await queries.run(INSERT, { ...challenge, subject: challenge.subject });
    },
    async take({ hash, sessionHash, userId, purpose, subject, at }) {
      const row = await queries.one(FIND, { hash });
      // Of two instances that take it, one deletes the row.
      if (!row || (await queries.run(DROP, { hash })) === 0) return false;
      return (
        row.expires_at > at &&
        row.session_hash === sessionHash &&
        row.user_id === userId &&
        row.purpose === purpose &&
        row.subject === (subject ?? null)
      );
    },
  };
}
