import type { NewEvent } from "@sealhouse/events";
import { raw } from "@mikro-orm/core";
import { documentRowKey } from "../documents/document-row-key.ts";
import { Document, DocumentGroup } from "../entities/document.ts";
import { writeEvent } from "../events/write-event.ts";
import type { Transaction, Unit } from "./unit-of-work.ts";

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
    async stale({ catalog }, group) {
      const name = documentRowKey(group);
      const next = raw("revision + 1");
      const raised = await catalog.nativeUpdate(DocumentGroup, { name }, { revision: next });
      if (raised === 0) await catalog.insert(DocumentGroup, { name, revision: 1 });
      await catalog.nativeDelete(Document, { groupName: name });
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
