import { defineEntity, p } from "@mikro-orm/core";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** The answer of a request with an idempotency key. */
export const IdempotentAnswer = defineEntity({
  name: "IdempotentAnswer",
  tableName: "idempotent_answers",
  indexes: [{ properties: ["createdAt"] }],
  properties: {
    /** Hash of caller, action and key. */
    id: key(64).primary(),
    inputHash: key(64),
    /** Null while the request runs. */
    status: p.integer().nullable(),
    body: longText().nullable(),
    createdAt: time(),
  },
});

/** A long action that the API started. */
export const ActionJob = defineEntity({
  name: "ActionJob",
  tableName: "action_jobs",
  indexes: [{ properties: ["createdAt"] }],
  properties: {
    id: key(64).primary(),
    action: key(64),
    actor: key(NAME_LENGTH.actor),
    /** JSON text of the input, without secrets. */
    input: longText(),
    state: key(16),
    /** JSON text: the output, or the problem. */
    result: longText().nullable(),
    /** The last line that it reported. */
    progress: longText().nullable(),
    /** The process that runs it extends this time. */
    heldUntil: time(),
    createdAt: time(),
    endedAt: time().nullable(),
  },
});
