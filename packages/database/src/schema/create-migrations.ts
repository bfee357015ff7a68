// Writes the next migration of each driver and context: the difference between the entities of a
// commit (default HEAD; "none" for no entities) and those of the work tree. No server and no
// snapshot is needed:
// node --conditions=@sealhouse/source src/schema/create-migrations.ts <name>
//   [--base <commit>] [--driver <driver>]
// Then add the new classes to src/migrations/<driver>/list.ts and names.ts.
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
import { migrationSource, schemaDifference, sqlMigrationSource } from "./schema-difference.ts";

type Entities = Readonly<Record<Context, readonly EntitySchema[]>>;

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: "string", default: "HEAD" },
    driver: { type: "string", multiple: true, default: [...DRIVERS] },
  },
});
const [name] = positionals;
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  throw new TypeError("Name the migration with one lower-case word; underscores are allowed.");
}
const before =
  values.base === "none" ? { catalog: [], identity: [] } : await entitiesAt(values.base);
const stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
for (const driver of DRIVERS.filter((one) => values.driver.includes(one))) {
  for (const context of CONTEXTS) {
    const [old, current] = [before[context], ENTITIES[context] as readonly EntitySchema[]];
    const up = schemaDifference(driver, old, current);
    const file = `Migration${stamp}_${name}`;
    if (up.length > 0) {
      const folder = migrationsFolder(driver, context);
      mkdirSync(folder, { recursive: true });
      const source =
        driver === "mssql"
          ? sqlMigrationSource(file, up)
          : migrationSource(file, { up, down: schemaDifference(driver, current, old) });
      writeFileSync(join(folder, `${file}.ts`), source);
    }
    stdout.write(`${driver}/${context}: ${up.length === 0 ? "no changes" : file}\n`);
  }
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
