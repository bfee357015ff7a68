import type { EntitySchema, MikroORM } from "@mikro-orm/core";
import { MsSqlDriver } from "@mikro-orm/mssql";
import { MySqlDriver } from "@mikro-orm/mysql";
import { PostgreSqlDriver } from "@mikro-orm/postgresql";
import type { AbstractSqlDriver, SqlEntityManager } from "@mikro-orm/sql";
import { SqliteDriver } from "@mikro-orm/sqlite";
import { entitiesOrm } from "./entities-orm.ts";

export const DRIVERS = ["sqlite", "postgresql", "mysql", "mssql"] as const;
export type Driver = (typeof DRIVERS)[number];

const DRIVER_CLASSES = {
  sqlite: SqliteDriver,
  postgresql: PostgreSqlDriver,
  mysql: MySqlDriver,
  mssql: MsSqlDriver,
};

/** An ORM over some entities that never connects. */
export function offlineOrm(
  driver: Driver,
  entities: readonly EntitySchema[],
): MikroORM<AbstractSqlDriver, SqlEntityManager> {
  const collate = driver === "mysql" ? { collate: "utf8mb4_bin" } : {};
  return entitiesOrm(DRIVER_CLASSES[driver], entities, collate);
}
