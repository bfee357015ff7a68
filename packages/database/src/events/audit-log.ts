import type { AuditLog, RegistryEvent } from "@sealhouse/events";
import { batches } from "../raw/batches.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import { param } from "../statements/kinds.ts";
import type { Kinds, Values } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { EVENT_COLUMNS, EVENT_KINDS, eventIdOf, eventOf, eventValues } from "./event-rows.ts";
import { readAuditPage } from "./audit-page.ts";

const ROW = { event_id: param.whole, ...EVENT_KINDS };
const COLUMNS = ["event_id", ...EVENT_COLUMNS] as const;

/** Rows in one statement. */
const ROWS_AT_ONCE = 50;
/** The parameters of each row of such a statement. */
const NAMES = Array.from({ length: ROWS_AT_ONCE }, (_, row) =>
  COLUMNS.map((column) => ({ column, name: nameOf(column, row) })),
);
/** Statements that insert rows, by their number of rows. */
const appends = new Map<number, ReturnType<typeof appendOf>>();

const FIND = defineStatement("audit-find", { id: param.whole }, (db, { id }) =>
  db.selectFrom("audit_log").select(COLUMNS).where("event_id", "=", id),
);
const OLD = defineStatement(
  "audit-old",
  { before: param.time, limit: param.whole },
  (db, { before, limit }, own) =>
    own.limit(
      db.selectFrom("audit_log").select("event_id").where("at", "<", before).orderBy("event_id"),
      limit,
    ),
);
const TRIM = defineStatement(
  "audit-trim",
  { before: param.time, last: param.whole },
  (db, { before, last }) =>
    db.deleteFrom("audit_log").where("event_id", "<=", last).where("at", "<", before),
);

/** Append-only: no statement here changes a record, and only `trim` removes any. */
export function createAuditLog(queries: Queries): AuditLog {
  return {
    async append(events) {
      for (const some of batches(events, ROWS_AT_ONCE)) await appendSome(queries, some);
    },
    read: (query) => readAuditPage(queries, query),
    async find(id) {
      const row = await queries.one(FIND, { id: eventIdOf(id) ?? 0 });
      return row && eventOf(row.event_id, row);
    },
    async trim(before) {
      const last = (await queries.all(OLD, { before, limit: ROWS_AT_ONCE })).at(-1);
      return last ? queries.run(TRIM, { before, last: last.event_id }) : 0;
    },
  };
}

/** Inserts events one by one when some of them exist. */
async function appendSome(queries: Queries, events: readonly RegistryEvent[]): Promise<void> {
  if (await inserted(queries, events)) return;
  if (events.length > 1) for (const event of events) await inserted(queries, [event]);
}

/**
 * Inserts all events atomically; inserts nothing when one of them exists. The existing text stays.
 */
async function inserted(queries: Queries, events: readonly RegistryEvent[]): Promise<boolean> {
  const statement = appends.get(events.length) ?? appendOf(events.length);
  appends.set(events.length, statement);
  const values: Record<string, unknown> = {};
  for (const [index, event] of events.entries()) {
    const row = valuesOf(event);
    for (const { column, name } of NAMES[index] ?? []) values[name] = row[column];
  }
  try {
    await queries.run(statement, values);
    return true;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
    return false;
  }
}

function valuesOf(event: RegistryEvent): Values<typeof ROW> {
  const eventId = eventIdOf(event.id);
  if (eventId === undefined) throw new TypeError(`"${event.id}" is not an event id.`);
  return { event_id: eventId, ...eventValues(event) };
}

/** A statement with a parameter for each column of each row. */
function appendOf(count: number) {
  const rows = Array.from({ length: count }, (_, index) => index);
  const kinds: Kinds = Object.fromEntries(
    rows.flatMap((row) => COLUMNS.map((column) => [nameOf(column, row), ROW[column]])),
  );
  return defineStatement(`audit-append-${count}`, kinds, (db, parameters) =>
    db.insertInto("audit_log").values(rows.map((row) => rowOf(parameters, row))),
  );
}

function rowOf(parameters: Parameters<Kinds>, row: number): Parameters<typeof ROW> {
  const columns = COLUMNS.map((column) => [column, parameters[nameOf(column, row)]]);
  return Object.fromEntries(columns) as Parameters<typeof ROW>;
}

function nameOf(column: string, row: number): string {
  return `${column}-${row}`;
}
