import { fileURLToPath } from "node:url";
import { MikroORM } from "@mikro-orm/core";
import { MySqlDriver } from "@mikro-orm/mysql";
import { PostgreSqlDriver } from "@mikro-orm/postgresql";
import type { AbstractSqlDriver } from "@mikro-orm/sql";
import { SqliteDriver } from "@mikro-orm/sqlite";
import { Migrator, TSMigrationGenerator } from "@mikro-orm/migrations";
import { ENTITIES } from "../entities/contexts.ts";
import { withExactTypes } from "../entities/columns.ts";
import { MIGRATIONS_TABLE } from "./contexts.ts";
import type { Context } from "./contexts.ts";

export const DRIVERS = ["sqlite", "postgresql", "mysql"] as const;
export type Driver = (typeof DRIVERS)[number];

const DRIVER_CLASSES = { sqlite: SqliteDriver, postgresql: PostgreSqlDriver, mysql: MySqlDriver };

/** The folder with the migrations and the snapshot, in the sources. */
export function migrationsFolder(driver: Driver, context: Context): string {
  const here = fileURLToPath(new URL(`../migrations/${driver}/${context}`, import.meta.url));
  return here.replace("/dist/migrations/", "/src/migrations/");
}

/** An ORM that never connects: it compares the entities with the committed snapshot. */
export async function offlineOrm(driver: Driver, context: Context, migrationName?: string) {
  const folder = migrationsFolder(driver, context);
  return new MikroORM<AbstractSqlDriver>({
    driver: DRIVER_CLASSES[driver],
    ...(driver === "mysql" && { collate: "utf8mb4_bin" }),
    contextName: context,
    dbName: "offline",
    entities: ENTITIES[context],
    discovery: { onMetadata: withExactTypes },
    extensions: [Migrator],
    migrations: {
      tableName: MIGRATIONS_TABLE[context],
      path: folder,
      pathTs: folder,
      emit: "ts",
      snapshotName: "snapshot",
      generator: WrappedSqlGenerator,
      ...(migrationName !== undefined && { fileName: () => migrationName }),
    },
  });
}

const LINE_LENGTH_MAX = 64;

/** Writes SQL in lines that a person can review; names the class after the file. */
class WrappedSqlGenerator extends TSMigrationGenerator {
  override generateMigrationFile(
    _className: string,
    diff: { readonly up: string[]; readonly down: string[] },
  ): string {
    return super.generateMigrationFile(this.options.fileName?.("") ?? "", diff);
  }

  override createStatement(sql: string, padLeft: number): string {
    return super.createStatement(wrapped(sql, " ".repeat(padLeft + 2)), padLeft);
  }
}

function wrapped(sql: string, indent: string): string {
  const lines = [""];
  for (const word of sql.split(" ")) {
    const line = lines.at(-1) ?? "";
    const isInText = lines.join(" ").split("'").length % 2 === 0;
    if (isInText || line === "" || line.length + word.length < LINE_LENGTH_MAX) {
      lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    } else lines.push(indent + word);
  }
  return lines.join("\n");
}
