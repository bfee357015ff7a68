import type { MikroORM, Options } from "@mikro-orm/core";
import type { AbstractSqlDriver, SqlEntityManager } from "@mikro-orm/sql";
import { withExactTypes } from "../entities/columns.ts";
import { ENTITIES } from "../entities/contexts.ts";
import type { Context } from "./contexts.ts";
import type { Kysely } from "kysely";
import { loadDriver } from "../transactions/load-driver.ts";
import type { OrmConnections } from "./kysely.ts";

export type Orm = MikroORM<AbstractSqlDriver, SqlEntityManager>;
export type Orms = Readonly<Record<Context, Orm>>;

/** An open connection. `name` is the database's; MikroORM looks for it before it migrates. */
export type OrmConnection = {
  readonly type: OrmConnections["type"];
  readonly name: string;
  readonly kysely: Kysely<unknown>;
};

/** Both contexts over one Kysely, hence over one connection or pool. */
export async function openOrms(
  { type, name, kysely }: OrmConnection,
  optionsOf: (
    context: Context,
  ) => Partial<Pick<Options, "extensions" | "migrations" | "schemaGenerator">> = () => ({}),
): Promise<Orms> {
  const driver = await driverOf(type);
  const open = async (contextName: Context): Promise<Orm> => {
    const { MikroORM } = await import("@mikro-orm/core");
    const orm = await MikroORM.init<AbstractSqlDriver, SqlEntityManager>({
      driver,
      driverOptions: kysely,
      dbName: name,
      ensureDatabase: false,
      // Contexts of the same name would share a transaction's entity manager.
      contextName,
      entities: [...ENTITIES[contextName]],
      discovery: { onMetadata: withExactTypes },
      forceUtcTimezone: true,
      // Also for text outside keys, as in the other databases.
      ...(type === "MySql" && { collate: "utf8mb4_bin" }),
      debug: false,
      ...optionsOf(contextName),
    });
    // Otherwise the first statement would connect; inside a transaction of the other context, it
    // would wait forever for SQLite's only connection.
    await orm.connect();
    return orm;
  };
  return { catalog: await open("catalog"), identity: await open("identity") };
}

async function driverOf(type: OrmConnections["type"]) {
  switch (type) {
    case "Sqlite":
      return (await import("@mikro-orm/sqlite")).SqliteDriver;
    case "PostgreSQL":
      return (await loadDriver(type, () => import("@mikro-orm/postgresql"))).PostgreSqlDriver;
    case "MySql":
      return (await loadDriver(type, () => import("@mikro-orm/mysql"))).MySqlDriver;
  }
}
