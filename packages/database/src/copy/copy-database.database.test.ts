import { createHash } from "node:crypto";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { parseManifest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { tokenRecord } from "@sealhouse/identity/testing";
import { PROTOCOLS } from "@sealhouse/identity";
import { afterAll, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import { columnTypesOf } from "../statements/column-types.ts";
import { copyDatabase } from "./copy-database.ts";
import { tablesToCopy } from "./table-order.ts";

const caller = { actor: "alice" };
const app = parseRepositoryName("team/app");

/** Something in most tables: packages, images, tokens, texts with any characters. */
async function fill(database: Database): Promise<void> {
  const { nuget, npm, oci, tokens } = database;
  for (let minor = 0; minor < 3; minor += 1) {
    await nuget.recorder.record(newPackage({ id: "Acme", version: `1.${minor}.0` }), caller);
  }
  await nuget.recorder.setListed("Acme", "1.0.0", false, caller);
  await nuget.lifecycle.delete("Acme", "1.1.0", caller);
  await npm.recorder.publish(newNpmVersion({ description: "zażółć 📦 ' \\ \"" }), caller);
  await npm.lifecycle.deprecate("demo", new Map([["1.0.0", "old"]]), caller);
  const image = buildImage({ layers: ["1", "2"] });
  for (const { digest, bytes } of image.blobs) {
    await oci.blobs.link(app, { digest, key: `k/${digest.slice(7)}`, size: bytes.length });
  }
  const { mediaType, digest, bytes } = image;
  const { kind: _, ...parsed } = parseManifest(bytes, mediaType);
  await oci.manifests.record({ ...parsed, repository: app, digest, bytes, tags: ["1.0"] }, caller);
  await tokens.insert(tokenRecord({ name: "ci" }), caller);
}

/** All rows by table, in the form of no database. */
async function contentsOf(config: DatabaseConfig): Promise<Readonly<Record<string, unknown>>> {
  const connections = await openConnections(config);
  const contents: Record<string, unknown> = {};
  for (const { name, columns, key } of tablesToCopy()) {
    const quoted = (names: readonly string[]) => names.map((one) => `"${one}"`).join(", ");
    const sql = `select ${quoted(columns)} from ${name} order by ${quoted(key)}`;
    const rows = await connections.port.all({ sql }, []);
    contents[name] = rows.map((row) =>
      columns.map((column) => portable(name, column, row[column])),
    );
  }
  await closeConnections(connections);
  return contents;
}

function portable(table: string, column: string, cell: unknown): unknown {
  if (cell === null) return null;
  const type = columnTypesOf(table)[column];
  if (type === "flag") return Boolean(cell);
  if (type === "time") return new Date(cell as string | number | Date).toISOString();
  return cell instanceof Uint8Array ? createHash("sha256").update(cell).digest("hex") : cell;
}

const ways = testableDatabases().flatMap((from) =>
  testableDatabases()
    .filter((to) => to !== from)
    .map((to) => ({ from, to })),
);

test.each(ways)("copies every row from $from to $to, which then works", async ({ from, to }) => {
  await using origin = await openTestPlace(from);
  await using target = await openTestPlace(to);
  await using database = await openDatabase(origin.config);
  await fill(database);
  const copied = await copyDatabase({ from: origin.config, to: target.config });
  expect(copied.find(({ table }) => table === "nuget_versions")?.rows).toBe(2);
  expect(await contentsOf(target.config)).toEqual(await contentsOf(origin.config));

  await using copy = await openDatabase(target.config);
  expect(await copy.registryId()).toBe(await database.registryId());
  expect(await copy.nuget.lookup.find("acme", "1.2.0")).toEqual(
    await database.nuget.lookup.find("acme", "1.2.0"),
  );
  const limits = { protocols: PROTOCOLS, limit: 100 };
  expect(await copy.history.of("acme", limits)).toEqual(await database.history.of("acme", limits));
  // New rows get numbers after the copied ones.
  for (const id of ["Acme", "Other"]) {
    const next = await copy.nuget.recorder.record(newPackage({ id, version: "2.0.0" }), caller);
    expect(next.status).toBe("recorded");
  }
  await expect(copyDatabase({ from: origin.config, to: target.config })).rejects.toMatchObject({
    code: "target-not-empty",
  });
});

test("copies tables of more rows than one read takes", async () => {
  await using origin = await openTestPlace("Sqlite");
  await using target = await openTestPlace("Sqlite");
  await using database = await openDatabase(origin.config);
  const texts = Array.from({ length: 450 }, (_, index) => `1.${index}.0`);
  for (const version of texts)
    await database.npm.recorder.publish(newNpmVersion({ version }), caller);
  const copied = await copyDatabase({ from: origin.config, to: target.config });
  expect(copied.find(({ table }) => table === "npm_versions")?.rows).toBe(450);
  expect(await contentsOf(target.config)).toEqual(await contentsOf(origin.config));
});

afterAll(leaveTestServers);
