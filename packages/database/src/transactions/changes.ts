import { sql } from "#kysely";
import type { NewEvent, ShownEvent } from "@sealhouse/events";
import { NewNameError } from "@sealhouse/http-responses";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { documentRowKey } from "../documents/document-row-key.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { writeEvent } from "../events/write-event.ts";
import { batches } from "../raw/batches.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Asker } from "../identity/good-token.ts";
import { requireGoodCaller } from "../identity/good-token.ts";
import { changedBy, merged } from "../history/changed-names.ts";
import { followChanges } from "../history/follow-changes.ts";
import type { ChangedNames } from "../history/follow-changes.ts";
import { together } from "./together.ts";
import type { BareTransaction, BareUnit, Transaction, Unit } from "./unit-of-work.ts";

const NAME = { name: param.text(NAME_LENGTH.document) };
const NAMES = { names: param.texts };

const RAISE = defineStatement("group-raise", NAME, (db, { name }) =>
  db
    .updateTable("document_groups")
    .set((group) => ({ revision: group("revision", "+", sql.lit(1)) }))
    .where("name", "=", name),
);
const OPEN = defineStatement("group-open", NAME, (db, { name }) =>
  db.insertInto("document_groups").values({ name, revision: sql.lit(1) }),
);
const DROP = defineStatement("group-drop", NAME, (db, { name }) =>
  db.deleteFrom("documents").where("group_name", "=", name),
);
const RAISE_ALL = defineStatement("groups-raise", NAMES, (db, { names }, own) =>
  own.byList(
    db
      .updateTable("document_groups")
      .set((group) => ({ revision: group("revision", "+", sql.lit(1)) }))
      .where("name", "in", own.textsIn(names)),
  ),
);
const KNOWN = defineStatement("groups-known", NAMES, (db, { names }, own) =>
  db.selectFrom("document_groups").where("name", "in", own.textsIn(names)).select("name"),
);
const DROP_ALL = defineStatement("groups-drop", NAMES, (db, { names }, own) =>
  own.byList(db.deleteFrom("documents").where("group_name", "in", own.textsIn(names))),
);

/** Events of changes that may end the caller's own token or session. */
const ENDING: ReadonlySet<NewEvent["type"]> = new Set([
  "token.revoked",
  "token.leaked",
  "user.signed-out",
]);

/** Names in one statement. */
const GROUPS_AT_ONCE = 100;

/** Dependencies of every change of the catalog. */
export type Changes = {
  readonly transaction: Transaction;
  /** Writes events of changes without rows, even when their caller's token is no longer valid. */
  record(events: readonly ShownEvent[]): Promise<void>;
  readonly now: () => Date;
  /** Milliseconds after which a positive answer renews a time of use (rule R1). */
  readonly clockThresholdMs: number;
  /** Milliseconds for which deleted content stays for views as of a time. */
  readonly keepContentMs: number;
  /** Writes the event in the same transaction as its cause, which checks the caller. */
  event(unit: Unit, event: NewEvent): Promise<void>;
  /** Writes the event of work for a caller whose token may have ended since. */
  shown(unit: Unit, event: ShownEvent): Promise<void>;
  /** Raises the revision of the group and drops its documents. The first statement of a change: it
   * holds the group's row until the commit, so changes of one group wait for each other. Resolves
   * to whether this is the first change of the group: then what the transaction has read still
   * holds. */
  stale(unit: Unit, group: string): Promise<boolean>;
  /** The same for many groups, in few statements. */
  staleAll(unit: Unit, groups: readonly string[]): Promise<void>;
};

export function createChanges(options: {
  readonly transaction: BareTransaction;
  readonly now: () => Date;
  readonly clockThresholdMs: number;
  readonly keepContentMs: number;
  readonly committed: () => void;
}): Changes {
  const { transaction, now, clockThresholdMs, keepContentMs, committed } = options;
  const write = async (unit: BareUnit, event: ShownEvent) => {
    await writeEvent(unit, event, now());
    unit.afterCommit(committed);
  };
  const shown = async (unit: Unit, event: ShownEvent) => {
    await write(unit, event);
    const changed = changedBy(event);
    if (changed) unit.follow(changed);
  };
  return {
    transaction: (work) => transaction((bare) => changing(bare, now, work)),
    record: (events) =>
      transaction(async (unit) => {
        for (const event of events) await write(unit, event);
      }),
    now,
    clockThresholdMs,
    keepContentMs,
    async event(unit, event) {
      if (!ENDING.has(event.type) && !isOfItself(event)) unit.askedBy(event.caller);
      await shown(unit, event);
    },
    shown,
    stale: staleOne,
    async staleAll(unit, groups) {
      const [first] = groups;
      if (first !== undefined && groups.length === 1) return void (await staleOne(unit, first));
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

/** A change of the caller itself may end its own rights. Its port checks the caller first. */
function isOfItself({ type, subject, caller }: NewEvent): boolean {
  return type === "user.changed" && subject === `user/${caller.actor}`;
}

/**
 * Runs the work of a change, then records what it changed in the history. Checks the callers last,
 * because the change may have waited for locks.
 */
async function changing<T>(
  bare: BareUnit,
  now: () => Date,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  const askers = new Map<string, Asker>();
  const changed: ChangedNames[] = [];
  const openedGroups = new Set<string>();
  let isNewName = false;
  const result = await work({
    ...bare,
    askedBy(asker) {
      const { tokenId, sessionHash, needs } = asker;
      askers.set(JSON.stringify([tokenId, sessionHash, needs]), asker);
    },
    createsName() {
      isNewName = true;
    },
    follow: (names) => void changed.push(names),
    opened: (group) => void openedGroups.add(group),
  });
  const isNew = (protocol: string, name: string) => openedGroups.has(`${protocol}/${name}`);
  const following = merged(changed).map((names) =>
    followChanges(bare.queries, { ...names, isNew }, now()),
  );
  const checks = [...askers.values()].map((asker) => requireGoodCaller(bare.queries, asker, now()));
  const [callers] = await together([together(checks), ...following]);
  if (isNewName && callers.some(({ mayCreate }) => !mayCreate)) throw new NewNameError();
  return result;
}

async function staleOne(unit: Unit, group: string): Promise<boolean> {
  const { queries } = unit;
  const name = documentRowKey(group);
  // A group without a row has no documents.
  const isFirst = (await queries.run(RAISE, { name })) === 0;
  await queries.run(isFirst ? OPEN : DROP, { name });
  if (isFirst) unit.opened(group);
  return isFirst;
}

async function staleSome({ queries }: Unit, names: readonly string[]): Promise<void> {
  if ((await queries.run(RAISE_ALL, { names })) < names.length) {
    const knownNames = new Set((await queries.all(KNOWN, { names })).map(({ name }) => name));
    const missing = names.filter((group) => !knownNames.has(group));
    await together(missing.map((name) => queries.run(OPEN, { name })));
  }
  await queries.run(DROP_ALL, { names });
}

/** Free text from outside, as every database can keep it. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text;
}
