import type { NewEvent } from "@sealhouse/events";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { documentRowKey } from "../documents/document-row-key.ts";
import { writeEvent } from "../events/write-event.ts";
import { batches } from "../raw/batches.ts";
import type { Statement } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";
import { TOKEN_VALIDITY, requireGoodToken } from "../identity/good-token.ts";
import { changedBy, merged } from "../history/changed-names.ts";
import { followChanges } from "../history/follow-changes.ts";
import type { ChangedNames } from "../history/follow-changes.ts";
import type { BareTransaction, BareUnit, Transaction, Unit } from "./unit-of-work.ts";

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

/** Names in one statement. */
const GROUPS_AT_ONCE = 100;

/** Dependencies of every change of the catalog. */
export type Changes = {
  readonly transaction: Transaction;
  /** Writes events of changes without rows, even when their caller's token is no longer valid. */
  record(events: readonly NewEvent[]): Promise<void>;
  readonly now: () => Date;
  /** Milliseconds after which a positive answer renews a time of use (rule R1). */
  readonly clockThresholdMs: number;
  /** Writes the event in the same transaction as its cause. */
  event(unit: Unit, event: NewEvent): Promise<void>;
  /** Raises the revision of the group and drops its documents. The first statement of a change: it
   * holds the group's row until the commit, so changes of one group wait for each other. */
  stale(unit: Unit, group: string): Promise<void>;
  /** The same for many groups, in few statements. */
  staleAll(unit: Unit, groups: readonly string[]): Promise<void>;
};

export function createChanges(options: {
  readonly transaction: BareTransaction;
  readonly now: () => Date;
  readonly clockThresholdMs: number;
  readonly committed: () => void;
}): Changes {
  const { transaction, now, clockThresholdMs, committed } = options;
  const write = async (unit: BareUnit, event: NewEvent) => {
    await writeEvent(unit, event, now());
    unit.afterCommit(committed);
  };
  return {
    transaction: (work) => transaction((bare) => changing(bare, now, work)),
    record: (events) =>
      transaction(async (unit) => {
        for (const event of events) await write(unit, event);
      }),
    now,
    clockThresholdMs,
    async event(unit, event) {
      // A token may revoke itself.
      if (event.type !== "token.revoked") unit.askedBy(event.caller);
      await write(unit, event);
      const changed = changedBy(event);
      if (changed) unit.follow(changed);
    },
    async stale({ run }, group) {
      const name = documentRowKey(group);
      if ((await run(RAISE, [name])) === 0) await run(OPEN, [name]);
      await run(DROP, [name]);
    },
    async staleAll(unit, groups) {
      // In one order, so that two such changes do not wait for each other.
      const names = groups.map(documentRowKey).toSorted();
      for (const some of batches(names, GROUPS_AT_ONCE)) {
        await staleSome(unit, some);
        // SQLite answers at once; others must get their turn in between.
        await yieldToEventLoop();
      }
    },
  };
}

/**
 * Runs the work of a change, then records what it changed in the history. Checks the tokens last,
 * because the change may have waited for locks.
 */
async function changing<T>(
  bare: BareUnit,
  now: () => Date,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  const tokens = new Set<string>();
  const changed: ChangedNames[] = [];
  const result = await work({
    ...bare,
    askedBy({ tokenId }) {
      if (tokenId !== undefined) tokens.add(tokenId);
    },
    follow: (names) => void changed.push(names),
  });
  for (const names of merged(changed)) await followChanges(bare.queries, names, now());
  for (const id of tokens) {
    requireGoodToken(await bare.queries.all(TOKEN_VALIDITY, { id }), now());
  }
  return result;
}

async function staleSome({ read, run }: Unit, names: readonly string[]): Promise<void> {
  const list = names.map(() => "?").join(", ");
  const raise = `update document_groups set revision = revision + 1 where name in (${list})`;
  if ((await run({ sql: raise }, names)) < names.length) {
    const select = `select name from document_groups where name in (${list})`;
    const known = new Set((await read({ sql: select }, names)).map((row) => textOf(row, "name")));
    for (const name of names.filter((one) => !known.has(one))) await run(OPEN, [name]);
  }
  await run({ sql: `delete from documents where group_name in (${list})` }, names);
}

/** Free text from outside, as every database can keep it. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text;
}
