import { LASTING_ACTIONS } from "@sealhouse/identity";
import type { ConfirmationRecord, ConfirmationStore } from "@sealhouse/identity";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { memberOf } from "./token-rows.ts";

const HASH = { hash: param.text(64) };

const INSERT = defineStatement(
  "confirmation-insert",
  {
    ...HASH,
    sessionHash: param.text(64),
    action: param.text(32),
    subject: param.longText,
    path: param.longText,
    backPath: param.longText,
    sealedForm: param.bytes,
    createdAt: param.time,
    expiresAt: param.time,
  },
  (db, parameters) => db.insertInto("host_confirmations").values(inColumns(parameters)),
);
const FIND = defineStatement("confirmation-find", HASH, (db, { hash }) =>
  db
    .selectFrom("host_confirmations")
    .select([
      "hash",
      "session_hash",
      "action",
      "subject",
      "path",
      "back_path",
      "sealed_form",
      "created_at",
      "expires_at",
      "confirmed_at",
    ])
    .where("hash", "=", hash),
);
const OF_SESSION = defineStatement(
  "confirmations-of-session",
  { sessionHash: param.text(64) },
  (db, { sessionHash }) =>
    db
      .selectFrom("host_confirmations")
      .select("hash")
      .where("session_hash", "=", sessionHash)
      .orderBy("created_at", "desc")
      .orderBy("hash"),
);
const CONFIRM = defineStatement(
  "confirmation-confirm",
  { ...HASH, at: param.time },
  (db, { hash, at }) =>
    db.updateTable("host_confirmations").set({ confirmed_at: at }).where("hash", "=", hash),
);
const DROP = defineStatement("confirmation-drop", HASH, (db, { hash }) =>
  db.deleteFrom("host_confirmations").where("hash", "=", hash),
);
const DROP_EXPIRED = defineStatement("confirmations-expired", { at: param.time }, (db, { at }) =>
  db.deleteFrom("host_confirmations").where("expires_at", "<=", at),
);

/** Forms of lasting actions that wait for a confirmation. */
export function createConfirmationStore(queries: Queries): ConfirmationStore {
  return {
    async add(record, ofSessionMax) {
      await queries.run(DROP_EXPIRED, { at: record.createdAt });
      const { sessionHash } = record;
      const own = await queries.all(OF_SESSION, { sessionHash });
      for (const { hash } of own.slice(ofSessionMax - 1)) await queries.run(DROP, { hash });
      await queries.run(INSERT, record);
    },
    async find(hash) {
      const row = await queries.one(FIND, { hash });
      return row && recordOf(row);
    },
    confirm: async (hash, at) => (await queries.run(CONFIRM, { hash, at })) > 0,
    // Of two instances that take it, one deletes the row.
    take: async (hash) => (await queries.run(DROP, { hash })) > 0,
  };
}

function recordOf(row: RowOf<typeof FIND>): ConfirmationRecord {
  const { confirmed_at: confirmedAt } = row;
  return {
    hash: row.hash,
    sessionHash: row.session_hash,
    action: memberOf("action", row.action, LASTING_ACTIONS),
    subject: row.subject,
    path: row.path,
    backPath: row.back_path,
    sealedForm: row.sealed_form,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(confirmedAt && { confirmedAt }),
  };
}
