import type { DatabaseConfig } from "../../connection-string.ts";
import { tablesToCopy } from "../../copy/table-order.ts";
import type { Database } from "../../database.ts";
import { openDatabase } from "../../open-database.ts";
import type { TestParts } from "../open-test-parts.ts";
import { openTestParts } from "../open-test-parts.ts";
import { OCI_WRITES } from "./image-writes.test.support.ts";
import { NAME_WRITES, OPERATOR_WRITES } from "./operator-writes.test.support.ts";
import { NPM_WRITES, NUGET_WRITES } from "./package-writes.test.support.ts";
import { PEOPLE_WRITES, user } from "./people-writes.test.support.ts";
import { WRITTEN_AT } from "./write.test.support.ts";
import type { RunWrite, Write } from "./write.test.support.ts";

const GROUPS: Readonly<Record<string, readonly Write[]>> = {
  NuGet: NUGET_WRITES,
  npm: NPM_WRITES,
  images: OCI_WRITES,
  people: PEOPLE_WRITES,
  names: NAME_WRITES,
  operators: OPERATOR_WRITES,
};

/** The writes of all groups, each with its group in its name. */
export const ALL_WRITES: readonly Write[] = Object.entries(GROUPS).flatMap(([group, writes]) =>
  writes.map((one) => ({ ...one, name: `${group}: ${one.name}` })),
);

/** A write whose rows are prepared. */
export type OpenWrite = Write & { readonly run: RunWrite };

/** The database of the writes. */
export interface OpenWrites extends AsyncDisposable {
  readonly parts: TestParts;
  readonly writes: readonly OpenWrite[];
  /** Another instance over the same database; SQLite serves one. */
  readonly other: Database;
}

/** A database with the rows that the writes need. `before` uses it while it is empty. */
export async function openWrites(
  type: DatabaseConfig["type"],
  writes: readonly Write[],
  before: (database: Database) => Promise<void> = async () => undefined,
): Promise<OpenWrites> {
  const opened = new AsyncDisposableStack();
  const now = () => WRITTEN_AT;
  const parts = opened.use(await openTestParts(type, { now }));
  const { config, database } = parts;
  const isAlone = type === "Sqlite";
  const other = isAlone ? database : opened.use(await openDatabase(config, { now }));
  await before(other);
  // The last administrator cannot be blocked.
  if (writes.length > 0) await user("lasting", "administrator")(database);
  const ready: OpenWrite[] = [];
  for (const one of writes) ready.push({ ...one, run: await one.open(database) });
  return { parts, writes: ready, other, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const TABLES = tablesToCopy().map(({ name }) => name);

/** All rows, by table. */
export async function rowsOf({
  connections,
}: TestParts): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const table of TABLES) {
    const rows = await connections.port.all({ sql: `select * from ${table}` }, []);
    found.set(table, rows.map((row) => JSON.stringify(row)).toSorted());
  }
  return found;
}
