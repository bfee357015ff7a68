import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hasSdk } from "@sealhouse/repo-signing/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqlServerInsert } from "../copy/copy-database.ts";
import { tablesToCopy } from "../copy/table-order.ts";
import { MIGRATIONS } from "../migrations/list.ts";
import { statementsOf } from "../migrations/migration.ts";
import { sqlServerStatements } from "../testing/sqlserver-statements.ts";
import type { SqlServerStatement } from "../testing/sqlserver-statements.ts";
import { CONTEXTS } from "./contexts.ts";
import { createLog } from "./migrate-sqlserver.ts";

const run = promisify(execFile);

const PROJECT = fileURLToPath(new URL("../../test/tsql-check", import.meta.url));
const HAS_DOTNET = await hasSdk("no parser of Microsoft has read the statements for SQL Server");
const BUILD_TIMEOUT_MS = 300_000;

const bare = (name: string, sql: string): SqlServerStatement => ({ name, sql, parameters: {} });

/** The objects of all migrations, and the rest as statements over them. */
function migrationStatements() {
  const isObject = (sql: string) => /^(?:create|alter) /.test(sql);
  const all = CONTEXTS.flatMap((context) =>
    MIGRATIONS[context].flatMap((migration) =>
      statementsOf(migration, "mssql").map((sql) => bare(migration.name, sql)),
    ),
  );
  const steps = [
    ...all.filter(({ sql }) => !isObject(sql)),
    ...CONTEXTS.map((context) => bare(`log of ${context}`, createLog(context))),
  ];
  return { schema: withColumns(all.map(({ sql }) => sql).filter(isObject)), steps };
}

const ADDED_COLUMN = /^alter table ("\w+") add (".+)$/s;

/** The model takes columns from `create table` only. */
function withColumns(objects: readonly string[]): readonly string[] {
  return objects
    .filter((sql) => !ADDED_COLUMN.test(sql))
    .map((sql) =>
      objects.reduce((table, added) => {
        const [, name = "", column = ""] = ADDED_COLUMN.exec(added) ?? [];
        return table.replace(`create table ${name} (`, `create table ${name} (${column}, `);
      }, sql),
    );
}

/** The inserts of `db copy`. */
function copyStatements(): readonly SqlServerStatement[] {
  return tablesToCopy().map((table) => {
    const { sql, types = [] } = sqlServerInsert(table, [{}]);
    const parameters = types.map((type, index) => [`@${index + 1}`, type ?? ""] as const);
    return { name: `copy ${table.name}`, sql, parameters: Object.fromEntries(parameters) };
  });
}

describe.runIf(HAS_DOTNET)("Microsoft's parser and model of SQL Server", () => {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-tsql-"));
  const program = join(folder, "out", "TsqlCheck.dll");

  beforeAll(async () => {
    cpSync(PROJECT, join(folder, "project"), { recursive: true });
    const build = ["build", "--configuration", "Release", "--output", join(folder, "out")];
    const env = { ...process.env, DOTNET_CLI_TELEMETRY_OPTOUT: "1", DOTNET_NOLOGO: "1" };
    await run("dotnet", [...build, join(folder, "project")], { env, timeout: BUILD_TIMEOUT_MS });
  }, BUILD_TIMEOUT_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The lines of the program. */
  async function check(statements: readonly SqlServerStatement[]): Promise<readonly string[]> {
    const { schema, steps } = migrationStatements();
    const input = join(folder, "input.json");
    writeFileSync(input, JSON.stringify({ schema, statements: [...steps, ...statements] }));
    try {
      const { stdout } = await run("dotnet", [program, input]);
      return stdout.trim().split("\n");
    } catch (error) {
      const stdout: unknown = Object(error)["stdout"];
      if (typeof stdout !== "string" || stdout === "") throw error;
      return stdout.trim().split("\n");
    }
  }

  test(
    "finds nothing wrong in the migrations and in any statement",
    async () => {
      const statements = await sqlServerStatements();
      expect(statements.length).toBeGreaterThan(300);
      const lines = await check([...statements, ...copyStatements()]);
      expect(lines).toEqual([expect.stringMatching(/^\d+ statements, 0 findings$/)]);
    },
    BUILD_TIMEOUT_MS,
  );

  test.each([
    ["an unknown column", 'select "nme" from "leases"', /nme/],
    ["an unknown table", 'select "name" from "lease"', /lease/],
    ["the syntax of another database", 'select "name" from "leases" limit 1', /limit/],
    ["an undeclared parameter", 'select "name" from "leases" where "fence" = @7', /@7/],
  ])("finds %s", async (_, sql, finding) => {
    const lines = await check([bare("wrong", sql)]);
    expect(lines.join("\n")).toMatch(finding);
    expect(lines.at(-1)).not.toMatch(/ 0 findings$/);
  });
});
