import { fileURLToPath } from "node:url";
import type { EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/core";
import { MySqlDriver } from "@mikro-orm/mysql";
import { PostgreSqlDriver } from "@mikro-orm/postgresql";
import type { AbstractSqlDriver, SqlEntityManager } from "@mikro-orm/sql";
import { SqliteDriver } from "@mikro-orm/sqlite";
import { withExactTypes } from "../entities/columns.ts";
import type { Context } from "./contexts.ts";

export const DRIVERS = ["sqlite", "postgresql", "mysql"] as const;
export type Driver = (typeof DRIVERS)[number];

const DRIVER_CLASSES = { sqlite: SqliteDriver, postgresql: PostgreSqlDriver, mysql: MySqlDriver };

/** The folder with the migrations, in the sources. */
export function migrationsFolder(driver: Driver, context: Context): string {
  const here = fileURLToPath(new URL(`../migrations/${driver}/${context}`, import.meta.url));
  return here.replace("/dist/migrations/", "/src/migrations/");
}

/** An ORM over some entities that never connects. */
export function offlineOrm(
  driver: Driver,
  entities: readonly EntitySchema[],
): MikroORM<AbstractSqlDriver, SqlEntityManager> {
  return new MikroORM<AbstractSqlDriver, SqlEntityManager>({
    driver: DRIVER_CLASSES[driver],
    ...(driver === "mysql" && { collate: "utf8mb4_bin" }),
    dbName: "offline",
    entities: [...entities],
    discovery: { onMetadata: withExactTypes },
  });
}
