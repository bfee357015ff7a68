import type { NewEvent } from "@sealhouse/events";
import { documentRowKey } from "../documents/document-row-key.ts";
import { writeEvent } from "../events/write-event.ts";
import type { Statement } from "../raw/query-port.ts";
import type { Transaction, Unit } from "./unit-of-work.ts";

const RAISE: Statement = {
  name: "group-raise",
  sql: "update document_groups set revision = revision + 1 where name = ?",
};
const OPEN: Statement = {
  name: "group-open",
  sql: "insert into document_groups (name, revision) values (?, 1)",
};
const DROP: Statement = {
  name: "group-drop",
  sql: "delete from documents where group_name = ?",
};

/** What every change of the catalog is made of. */
export type Changes = {
  readonly transaction: Transaction;
  readonly now: () => Date;
  /** Writes the event beside its cause. */
  event(unit: Unit, event: NewEvent): Promise<void>;
  /** Raises the revision of the group and drops its documents. The first statement of a change: it
   * holds the group's row until the commit, so changes of one group wait for each other. */
  stale(unit: Unit, group: string): Promise<void>;
};

export function createChanges(options: {
  readonly transaction: Transaction;
  readonly now: () => Date;
  readonly committed: () => void;
}): Changes {
  const { transaction, now, committed } = options;
  return {
    transaction,
    now,
    async event(unit, event) {
      await writeEvent(unit, event, now());
      unit.afterCommit(committed);
    },
    async stale({ run }, group) {
      const name = documentRowKey(group);
      if ((await run(RAISE, [name])) === 0) await run(OPEN, [name]);
      await run(DROP, [name]);
    },
  };
}

/** Free text from outside, as every database can keep it. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text;
}

/** The driver writes bytes into the statement, and knows how to for Buffers only. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
