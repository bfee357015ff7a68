// Writes the next migration of each driver and context from what changed in the entities, without
// any server: node --conditions=@sealhouse/source src/schema/create-migrations.ts <name> [<time>]
// Afterwards the new classes go into src/migrations/<driver>/list.ts and names.ts.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { argv, stdout } from "node:process";
import { CONTEXTS } from "./contexts.ts";
import { DRIVERS, migrationsFolder, offlineOrm } from "./offline-orm.ts";

const [, , name, stamp = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14)] = argv;
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  throw new TypeError("Say what the migration does: one lower-case word, underscores allowed.");
}

for (const driver of DRIVERS) {
  for (const context of CONTEXTS) {
    const folder = migrationsFolder(driver, context);
    mkdirSync(folder, { recursive: true });
    const snapshot = `${folder}/snapshot.json`;
    if (!existsSync(snapshot)) writeFileSync(snapshot, '{"namespaces":[],"name":"","tables":[]}');
    const migration = `Migration${stamp}_${name}`;
    const { fileName } = await (await offlineOrm(driver, context, migration)).migrator.create();
    stdout.write(`${driver}/${context}: ${fileName === "" ? "nothing changed" : fileName}\n`);
  }
}
