// Writes the next migration of each context, in one file for all databases: the difference between
// the entities of a commit (default HEAD) and those of the work tree. No server and no snapshot is
// needed:
// node --conditions=@sealhouse/source src/schema/create-migrations.ts <name> [--base <commit>]
// Then add it to src/migrations/list.ts and names.ts. With `--base none` it writes the tables of
// the first migration instead, which no release may change.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stdout } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { EntitySchema } from "@mikro-orm/core";
import { ENTITIES } from "../entities/contexts.ts";
import { statementsBy } from "../migrations/migration.ts";
import type { Statements } from "../migrations/migration.ts";
import { CONTEXTS } from "./contexts.ts";
import type { Context } from "./contexts.ts";
import { migrationSource, schemaDifference, tablesSource } from "./schema-difference.ts";

type Entities = Readonly<Record<Context, readonly EntitySchema[]>>;

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: "string", default: "HEAD" } },
});
const [name] = positionals;
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  throw new TypeError("Name the migration with one lower-case word; underscores are allowed.");
}
const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
const now: Entities = ENTITIES;
if (values.base === "none") {
  const catalog = differences([], now.catalog);
  const statements = { ...catalog, mssql: loosened(catalog.mssql) };
  write(
    "first/tables",
    tablesSource({ catalog: statements, identity: differences([], now.identity) }),
  );
} else {
  const before = await entitiesAt(values.base);
  for (const context of CONTEXTS) {
    const statements = differences(before[context], now[context]);
    const isSame = Object.values(statements).every((list) => list.length === 0);
    const file = `Migration${stamp}_${name}${context === "identity" ? "_of_identity" : ""}`;
    if (isSame) stdout.write(`${context}: no changes\n`);
    else write(file, migrationSource(file, statements));
  }
}

function write(file: string, source: string): void {
  writeFileSync(join(PACKAGE, "src/migrations", `${file}.ts`), source);
  stdout.write(`src/migrations/${file}.ts\n`);
}

/** The key of `npm_tombstones` exceeds the 900 bytes of a clustered index of SQL Server. */
function loosened(statements: readonly string[]): readonly string[] {
  const key = "[npm_tombstones_pkey] primary key";
  return statements.map((sql) => sql.replace(`${key} (`, `${key} nonclustered (`));
}

/** The statements of each database from one version of the entities to another. */
function differences(old: readonly EntitySchema[], current: readonly EntitySchema[]): Statements {
  return statementsBy((driver) => schemaDifference(driver, old, current));
}

/** Loads the entities of a commit, from a temporary copy inside the package. */
async function entitiesAt(commit: string): Promise<Entities> {
  const folder = mkdtempSync(join(PACKAGE, ".entities-before-"));
  try {
    const archive = execFileSync("git", ["archive", commit, "src"], {
      cwd: PACKAGE,
      maxBuffer: 256 * 1024 * 1024,
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    const path = join(folder, "src/entities/contexts.ts");
    const module = (await import(pathToFileURL(path).href)) as { readonly ENTITIES: Entities };
    return module.ENTITIES;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
