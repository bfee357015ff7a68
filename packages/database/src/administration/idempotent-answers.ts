import { KEPT_HOURS } from "@sealhouse/http-responses";
import type { IdempotentAnswers } from "@sealhouse/http-responses";
import { UniqueKeyError } from "../raw/query-port.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const ID = { id: param.text(64) };

const FORGET = defineStatement("answers-forget", { before: param.time }, (db, { before }) =>
  db.deleteFrom("idempotent_answers").where("created_at", "<", before),
);
const BEGIN = defineStatement(
  "answer-begin",
  { ...ID, hash: param.text(64), at: param.time },
  (db, { id, hash, at }) =>
    db.insertInto("idempotent_answers").values({ id, input_hash: hash, created_at: at }),
);
const FIND = defineStatement("answer", ID, (db, { id }) =>
  db.selectFrom("idempotent_answers").select(["input_hash", "status", "body"]).where("id", "=", id),
);
const END = defineStatement(
  "answer-end",
  { ...ID, status: param.whole, body: param.longText },
  (db, { id, status, body }) =>
    db.updateTable("idempotent_answers").set({ status, body }).where("id", "=", id),
);
const FREE = defineStatement("answer-free", ID, (db, { id }) =>
  db.deleteFrom("idempotent_answers").where("id", "=", id),
);

/** Answers of requests with an idempotency key. */
export function createIdempotentAnswers(queries: Queries): IdempotentAnswers {
  return {
    async begin({ id, input: hash }, now) {
      const before = new Date(now.getTime() - KEPT_HOURS * 60 * 60 * 1_000);
      await queries.run(FORGET, { before });
      try {
        await queries.run(BEGIN, { id, hash, at: now });
        return { status: "new" };
      } catch (error) {
        if (!(error instanceof UniqueKeyError)) throw error;
      }
      const row = await queries.one(FIND, { id });
      if (!row) return { status: "running" };
      if (row.input_hash !== hash) return { status: "other" };
      const { status, body } = row;
      if (status === null) return { status: "running" };
      return { status: "done", answer: { status, body: body ?? "" } };
    },
    async end({ id }, answer) {
      if (answer) await queries.run(END, { id, ...answer });
      else await queries.run(FREE, { id });
    },
  };
}
