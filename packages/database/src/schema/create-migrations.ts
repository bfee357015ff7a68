// Writes the next migration of each context, in one file for all databases: the difference between
// the entities of a commit (default HEAD) and those of the work tree. No server and no snapshot is
// needed:
// node --conditions=@sealhouse/source src/schema/create-migrations.ts <name> [--base <commit>]
// Then add it to src/migrations/shared/list.ts and names.ts. With `--base none` it writes the whole
// schema for SQL Server instead.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stdout } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { EntitySchema } from "@mikro-orm/core";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "./contexts.ts";
import type { Context } from "./contexts.ts";
import { DRIVERS, migrationsFolder } from "./offline-orm.ts";
import type { Driver } from "./offline-orm.ts";
import {
  schemaDifference,
  sharedMigrationSource,
  sqlMigrationSource,
} from "./schema-difference.ts";

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
const file = `Migration${stamp}_${name}`;
const now: Entities = ENTITIES;
if (values.base === "none") {
  for (const context of CONTEXTS) {
    const statements = schemaDifference("mssql", [], now[context]);
    write("mssql", context, sqlMigrationSource(file, statements));
  }
} else {
  const before = await entitiesAt(values.base);
  for (const context of CONTEXTS) {
    const up = differences(before[context], now[context]);
    const isSame = DRIVERS.every((driver) => up[driver].length === 0);
    if (isSame) stdout.write(`${context}: no changes\n`);
    else {
      const down = differences(now[context], before[context]);
      write("shared", context, sharedMigrationSource(file, { up, down }));
    }
  }
}

function write(folder: "mssql" | "shared", context: Context, source: string): void {
  const path = migrationsFolder(folder, context);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, `${file}.ts`), source);
  stdout.write(`${context}: ${folder}/${context}/${file}.ts\n`);
}

/** The statements of each database from one version of the entities to another. */
function differences(
  old: readonly EntitySchema[],
  current: readonly EntitySchema[],
): Readonly<Record<Driver, readonly string[]>> {
  const of = (driver: Driver) => schemaDifference(driver, old, current);
  return {
    sqlite: of("sqlite"),
    postgresql: of("postgresql"),
    mysql: of("mysql"),
    mssql: of("mssql"),
  };
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
