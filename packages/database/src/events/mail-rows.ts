import { createHash } from "node:crypto";
import { sql } from "#kysely";
import type { Mail, MailLog, MailQueue } from "@sealhouse/events";
import { UniqueKeyError } from "../raw/query-port.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { idBefore } from "./event-rows.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const ID = { id: param.whole };
const COLUMNS = [
  "id",
  "mail_key",
  "template",
  "recipient",
  "subject",
  "body",
  "state",
  "attempts",
  "next_at",
  "error",
  "created_at",
  "done_at",
] as const;
const TRIMMED_AT_ONCE = 500;

const ADD = defineStatement(
  "mail-add",
  {
    key: param.text(64),
    template: param.text(32),
    recipient: param.longText,
    subject: param.longText,
    body: param.longText,
    at: param.time,
  },
  (db, { key, at, ...values }) =>
    db.insertInto("mails").values((row) => ({
      ...values,
      mail_key: key,
      state: sql.lit("waiting"),
      attempts: row.lit(0),
      next_at: at,
      created_at: at,
    })),
);
const DUE = defineStatement(
  "mails-due",
  { now: param.time, limit: param.whole },
  (db, { now, limit }, own) =>
    own.limit(
      db
        .selectFrom("mails")
        .select(COLUMNS)
        .where("state", "=", sql.lit("waiting"))
        .where("next_at", "<=", now)
        .orderBy("id"),
      limit,
    ),
);
/** While it is sent, `next_at` is the time of the claim. */
const CLAIM = defineStatement("mail-claim", { ...ID, at: param.time }, (db, { id, at }) =>
  db
    .updateTable("mails")
    .set((row) => ({
      state: sql.lit("sending"),
      attempts: row("attempts", "+", row.lit(1)),
      next_at: at,
    }))
    .where("id", "=", id)
    .where("state", "=", sql.lit("waiting")),
);
const SETTLE = defineStatement(
  "mail-settle",
  {
    ...ID,
    state: param.text(16),
    nextAt: param.optional(param.time),
    error: param.optional(param.longText),
    doneAt: param.optional(param.time),
  },
  (db, { id, ...row }) =>
    db
      .updateTable("mails")
      .set(inColumns(row))
      .where("id", "=", id)
      .where("state", "=", sql.lit("sending")),
);
const GIVE_UP = defineStatement(
  "mails-give-up",
  { before: param.time, at: param.time, error: param.longText },
  (db, { before, at, error }) =>
    db
      .updateTable("mails")
      .set({ state: sql.lit("unknown"), next_at: null, error, done_at: at })
      .where("state", "=", sql.lit("sending"))
      .where("next_at", "<", before),
);
const OLDEST = defineStatement("mails-oldest", { limit: param.whole }, (db, { limit }, own) =>
  own.limit(db.selectFrom("mails").select(["id", "created_at"]).orderBy("id"), limit),
);
const DELETE = defineStatement("mails-delete", { ids: param.wholes }, (db, { ids }, own) =>
  own.byList(db.deleteFrom("mails").where("id", "in", own.wholesIn(ids))),
);
const LIST = defineStatement(
  "mails",
  { before: param.whole, limit: param.whole },
  (db, { before, limit }, own) =>
    own.limit(
      db.selectFrom("mails").select(COLUMNS).where("id", "<", before).orderBy("id", "desc"),
      limit,
    ),
);
const COUNT = defineStatement("mails-count", { since: param.time }, (db, { since }) =>
  db
    .selectFrom("mails")
    .where((row) =>
      row.or([
        row("state", "in", [sql.lit("waiting"), sql.lit("sending")]),
        row.and([
          row("state", "in", [sql.lit("failed"), sql.lit("unknown")]),
          row("done_at", ">=", since),
        ]),
      ]),
    )
    .groupBy("state")
    .select((row) => ["state", row.fn.countAll<number | string>().as("mails")]),
);

/** Mails as rows. Each operation is one statement. */
export function createMailRows(queries: Queries, now: () => Date): MailQueue & MailLog {
  return {
    async add(mails) {
      for (const { key, ...mail } of mails) {
        const hash = createHash("sha256").update(key).digest("hex");
        try {
          await queries.run(ADD, { ...mail, key: hash, at: now() });
        } catch (error) {
          if (!(error instanceof UniqueKeyError)) throw error;
        }
      }
    },
    due: async (time, limit) => (await queries.all(DUE, { now: time, limit })).map(mailOf),
    claim: async (id) => (await queries.run(CLAIM, { id: Number(id), at: now() })) > 0,
    async settle(id, { state, nextAt, error }) {
      const doneAt = state === "waiting" ? undefined : now();
      await queries.run(SETTLE, { id: Number(id), state, nextAt, error, doneAt });
    },
    giveUp(before) {
      const error = "the process ended while it sent the mail";
      return queries.run(GIVE_UP, { before, at: now(), error });
    },
    async trim(before) {
      const oldest = await queries.all(OLDEST, { limit: TRIMMED_AT_ONCE });
      const ids = oldest.filter((row) => row.created_at < before).map(({ id }) => id);
      return ids.length === 0 ? 0 : queries.run(DELETE, { ids });
    },
    list: async ({ before, limit }) =>
      (await queries.all(LIST, { before: idBefore(before), limit })).map(mailOf),
    async count(since) {
      const rows = await queries.all(COUNT, { since });
      const of = (...states: readonly string[]) =>
        rows
          .filter(({ state }) => states.includes(state))
          .reduce((sum, { mails }) => sum + Number(mails), 0);
      return { waiting: of("waiting", "sending"), failed: of("failed", "unknown") };
    },
  };
}

function mailOf(row: RowOf<typeof DUE>): Mail {
  return {
    id: String(row.id),
    keyHash: row.mail_key,
    template: row.template as Mail["template"],
    recipient: row.recipient,
    subject: row.subject,
    body: row.body,
    state: row.state as Mail["state"],
    attempts: row.attempts,
    ...(row.next_at && { nextAt: row.next_at }),
    ...(row.error !== null && { error: row.error }),
    createdAt: row.created_at,
    ...(row.done_at && { doneAt: row.done_at }),
  };
}
