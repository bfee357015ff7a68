import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MIGRATION_NAMES } from "../migrations/names.ts";
import { openDatabase } from "../open-database.ts";
import { copyMigratedSqlite } from "../testing/index.ts";
import { MIGRATIONS_TABLE } from "./contexts.ts";
import { migrateDatabase, pendingMigrations } from "./migrate-database.ts";
import { createSqliteFile, readEmptyFile } from "./sqlite-file.ts";
import { writeEmptyFile } from "./write-empty-file.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-file-"));
  path = join(folder, "feed.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

const ALL = Object.entries(MIGRATION_NAMES).flatMap(([context, names]) =>
  names.map((name) => `${context}/${name}`),
);
const NO_HARD_LINKS = async (): Promise<void> => {
  throw Object.assign(new Error("not permitted"), { code: "EPERM" });
};

/** The statements of the schema, and the rows that migrations write. */
function contentsOf(file: string) {
  const database = new Database(file, { readonly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const contents = [
    all("select type, name, tbl_name, sql from sqlite_master order by type, name"),
    all("select * from schema_level"),
    ...Object.values(MIGRATIONS_TABLE).map((table) => all(`select id, name from ${table}`)),
  ];
  database.close();
  return contents;
}

test("the empty file of the build has what the migrations create", async () => {
  // The migrations run in a file that exists.
  writeFileSync(path, "");
  expect(await migrateDatabase({ type: "Sqlite", path })).toEqual({ applied: ALL });
  // SQLite would leave files next to the one of the build.
  const copy = join(folder, "copy.db");
  await copyMigratedSqlite(copy);
  expect(contentsOf(copy)).toEqual(contentsOf(path));
});

test("each build writes the same empty file", async () => {
  await writeEmptyFile(path);
  const bytes = await readEmptyFile(path);
  expect(bytes.equals(await readEmptyFile())).toBe(true);
});

test("a new database is a copy of the empty file, with all migrations applied", async () => {
  expect(await pendingMigrations({ type: "Sqlite", path })).toEqual(ALL);
  expect(readdirSync(folder)).toEqual([]);
  expect(await migrateDatabase({ type: "Sqlite", path })).toEqual({ applied: ALL });
  expect(readFileSync(path).equals(await readEmptyFile())).toBe(true);
  expect(await migrateDatabase({ type: "Sqlite", path })).toEqual({ applied: [] });
  await using database = await openDatabase({ type: "Sqlite", path });
  expect(await database.registryId()).toMatch(/^[0-9a-f-]{36}$/);
});

test("of processes that create a database at once, one succeeds", async () => {
  const created = await Promise.all([1, 2, 3, 4].map(() => createSqliteFile(path)));
  expect(created.filter(Boolean)).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(["feed.db"]);
});

test("a file, or the log of a removed one, is left unchanged", async () => {
  for (const end of ["", "-wal", "-journal"]) {
    writeFileSync(path + end, "kept");
    expect(await createSqliteFile(path)).toBe(false);
    expect(readdirSync(folder)).toEqual([`feed.db${end}`]);
    expect(readFileSync(path + end, "utf8")).toBe("kept");
    rmSync(path + end);
  }
});

test("drafts of killed processes are removed after an hour", async () => {
  const draft = (digit: string) => `${path}.${digit.repeat(36)}.new`;
  for (const digit of ["a", "b"]) writeFileSync(draft(digit), "half");
  const longAgo = Date.now() / 1_000 - 2 * 60 * 60;
  utimesSync(draft("a"), longAgo, longAgo);
  expect(await createSqliteFile(path)).toBe(true);
  expect(readdirSync(folder)).toEqual(["feed.db", `feed.db.${"b".repeat(36)}.new`]);
});

test.each([
  ["without hard links", { link: NO_HARD_LINKS }],
  ["without an empty file", { emptyFile: "/nowhere/empty.sqlite.br" }],
])("%s there is no copy, and nothing is left", async (_, options) => {
  expect(await createSqliteFile(path, options)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});
