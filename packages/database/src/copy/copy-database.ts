import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { DatabaseConfig } from "../connection-string.ts";
import { placeOf } from "../place.ts";
import type { Parameter, Row, Statement } from "../raw/query-port.ts";
import { ensureRegistryId } from "../registry-id.ts";
import { openCurrent } from "../schema/current-schema.ts";
import { columnTypesOf } from "../statements/column-types.ts";
import { closeConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { createTransaction } from "../transactions/create-transaction.ts";
import type { BareUnit } from "../transactions/unit-of-work.ts";
import { CopyError } from "./copy-error.ts";
import type { CopiedTable } from "./table-order.ts";

/** Rows in one read and one insert, and the bytes that end an insert earlier. */
const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** SQL Server takes 2,100 parameters. */
const PARAMETERS_MAX = 2_000;

/** The number of rows of a table that were copied. */
export type CopiedRows = { readonly table: string; readonly rows: number };

/**
 * Copies all rows of a database into an empty one and compares the number of rows. No host may
 * write to either one during the copy. Rendered documents are left out: hosts make them again.
 *
 * @throws CopyError when the target has rows or the numbers differ
 * @throws DatabaseUnavailableError, SchemaMismatchError
 */
export async function copyDatabase(options: {
  readonly from: DatabaseConfig;
  readonly to: DatabaseConfig;
  readonly onTable?: (copied: CopiedRows) => void;
  /** Ends the copy before the next rows. */
  readonly signal?: AbortSignal;
}): Promise<readonly CopiedRows[]> {
  const { from, to, onTable, signal } = options;
  await using opened = new AsyncDisposableStack();
  const open = async (config: DatabaseConfig, migrate: boolean) => {
    const { connections } = await openCurrent(config, { migrate });
    return opened.adopt(connections, closeConnections);
  };
  const source = await open(from, false);
  const target = await open(to, true);
  // The storage may be copied before or after this: both copies have the id of the source.
  await ensureRegistryId(source.queries);
  // Loads MikroORM.
  const { tablesToCopy } = await import("./table-order.ts");
  const tables = tablesToCopy();
  await refuseRows(target, to, tables);
  const copied: CopiedRows[] = [];
  for (const table of tables) {
    const rows = await copyTable(source, target, { table, signal });
    copied.push({ table: table.name, rows });
    onTable?.({ table: table.name, rows });
  }
  return copied;
}

async function refuseRows(
  target: Connections,
  config: DatabaseConfig,
  tables: readonly CopiedTable[],
): Promise<void> {
  for (const { name } of tables) {
    if ((await countOf(target, name)) === 0) continue;
    throw new CopyError("target-not-empty", `${placeOf(config)} has rows in the table ${name}.`);
  }
}

async function copyTable(
  source: Connections,
  target: Connections,
  { table, signal }: { readonly table: CopiedTable; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const transaction = createTransaction(target);
  let count = 0;
  for (let after: Row | undefined; ;) {
    signal?.throwIfAborted();
    const rows = await source.port.all(...pageAfter(source.type, table, after));
    await transaction(async (unit) => {
      for (const some of batchesOf(rows, table)) await insert(unit, target.type, table, some);
    });
    count += rows.length;
    after = rows.at(-1);
    if (rows.length < ROWS_AT_ONCE) break;
    await yieldToEventLoop();
  }
  if (table.isNumbered) await continueNumbers(target, table);
  const stored = await countOf(target, table.name);
  if (stored === count) return count;
  throw new CopyError("rows-differ", `${table.name} has ${stored} rows instead of ${count}.`);
}

/** Rows after another one in the order of the key. */
function pageAfter(
  type: Connections["type"],
  { name, columns, key }: CopiedTable,
  after: Row | undefined,
): [Statement, readonly Parameter[]] {
  const values = key.map((column) => valueOf(name, column, after?.[column]));
  const alternatives = key.map((column, index) => {
    const equal = key.slice(0, index).map((before) => `${quoted(before)} = ?`);
    return {
      sql: [...equal, `${quoted(column)} > ?`].join(" and "),
      values: values.slice(0, index + 1),
    };
  });
  const where = after ? `where ${alternatives.map(({ sql }) => `(${sql})`).join(" or ")}` : "";
  const isTop = type === "SqlServer";
  const sql = `select ${isTop ? `top(${ROWS_AT_ONCE}) ` : ""}${columns.map(quoted).join(", ")}
    from ${name} ${where} order by ${key.map(quoted).join(", ")}
    ${isTop ? "" : `limit ${ROWS_AT_ONCE}`}`;
  return [{ sql }, after ? alternatives.flatMap((alternative) => alternative.values) : []];
}

async function insert(
  unit: BareUnit,
  type: Connections["type"],
  table: CopiedTable,
  rows: readonly Row[],
): Promise<void> {
  const values = rows.flatMap((row) =>
    table.columns.map((column) => valueOf(table.name, column, row[column])),
  );
  await unit.run(
    type === "SqlServer" ? sqlServerInsert(table, rows) : insertOf(table, rows),
    values,
  );
}

function insertOf({ name, columns }: CopiedTable, rows: readonly Row[]): Statement {
  const places = `(${columns.map(() => "?").join(", ")})`;
  const list = rows.map(() => places).join(", ");
  return { sql: `insert into ${name} (${columns.map(quoted).join(", ")}) values ${list}` };
}

/** SQL Server wants the type of each parameter, and takes row numbers only after a setting. */
export function sqlServerInsert(table: CopiedTable, rows: readonly Row[]): Statement {
  const { sql } = insertOf(table, rows);
  let count = 0;
  const numbered = sql.replaceAll("?", () => `@${++count}`);
  const numbering = (state: string) =>
    table.isNumbered ? `set identity_insert ${table.name} ${state}; ` : "";
  return {
    sql: `${numbering("on")}${numbered}; ${numbering("off")}`.trim(),
    types: rows.flatMap(() => table.types),
  };
}

/** Some names of columns are words of SQL. */
function quoted(column: string): string {
  return `"${column}"`;
}

/** Groups of rows that one insert can take. */
function* batchesOf(rows: readonly Row[], { columns }: CopiedTable): Generator<readonly Row[]> {
  const rowsMax = Math.floor(PARAMETERS_MAX / columns.length);
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (batch.length === rowsMax || (batch.length > 0 && bytes + size > BYTES_AT_ONCE)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(row: Row): number {
  let size = 0;
  for (const cell of Object.values(row)) {
    if (typeof cell === "string" || cell instanceof Uint8Array) size += cell.length;
  }
  return size;
}

/** Databases return truth values and times in different forms. */
function valueOf(table: string, column: string, cell: unknown): Parameter {
  if (cell === null || cell === undefined) return undefined;
  const type = columnTypesOf(table)[column];
  if (type === "flag") return Boolean(cell);
  return type === "time" ? new Date(cell as string | number | Date) : (cell as Parameter);
}

/** PostgreSQL numbers rows by a sequence, which explicit numbers do not advance. */
async function continueNumbers({ type, port }: Connections, { name }: CopiedTable): Promise<void> {
  if (type !== "PostgreSQL") return;
  const sql = `select setval(pg_get_serial_sequence('${name}', 'id'), max(id)) as last from ${name}
    having max(id) is not null`;
  await port.all({ sql }, []);
}

async function countOf({ port }: Connections, table: string): Promise<number> {
  const row = await port.one({ sql: `select count(*) as total from ${table}` }, []);
  return Number(row?.["total"] ?? 0);
}
