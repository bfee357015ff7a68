import type { Configuration, EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/core";
import type { AbstractSqlDriver, SqlEntityManager } from "@mikro-orm/sql";
import { withExactTypes } from "../entities/columns.ts";

/** An ORM over some entities that never connects. */
export function entitiesOrm(
  driver: new (config: Configuration) => AbstractSqlDriver,
  entities: readonly EntitySchema[],
  options: { readonly collate?: string } = {},
): MikroORM<AbstractSqlDriver, SqlEntityManager> {
  return new MikroORM<AbstractSqlDriver, SqlEntityManager>({
    ...options,
    driver,
    dbName: "offline",
    entities: [...entities],
    discovery: { onMetadata: withExactTypes, warnWhenNoEntities: false },
  });
}
