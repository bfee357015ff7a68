import type { Caller } from "@sealhouse/request-types";
import type { DatabaseConfig } from "../../connection-string.ts";
import { tablesToCopy } from "../../copy/table-order.ts";
import type { TestParts } from "../open-test-parts.ts";
import { openTestParts } from "../open-test-parts.ts";
import { OCI_WRITES } from "./image-writes.test.support.ts";
import { NAME_WRITES, OPERATOR_WRITES } from "./operator-writes.test.support.ts";
import { NPM_WRITES, NUGET_WRITES } from "./package-writes.test.support.ts";
import { PEOPLE_WRITES, user } from "./people-writes.test.support.ts";
import { WRITTEN_AT } from "./write.test.support.ts";
import type { Write } from "./write.test.support.ts";

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
export type OpenWrite = Write & { readonly run: (caller: Caller) => Promise<unknown> };

/** A database with the rows that the writes need. */
export async function openWrites(
  type: DatabaseConfig["type"],
  writes: readonly Write[],
): Promise<{ readonly parts: TestParts; readonly writes: readonly OpenWrite[] }> {
  const parts = await openTestParts(type, { now: () => WRITTEN_AT });
  // The last administrator cannot be blocked.
  if (writes.length > 0) await user("lasting", "administrator")(parts.database);
  const opened: OpenWrite[] = [];
  for (const one of writes) opened.push({ ...one, run: await one.open(parts.database) });
  return { parts, writes: opened };
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
