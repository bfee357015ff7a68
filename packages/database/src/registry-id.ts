import { randomUUID } from "node:crypto";
import { sql } from "#kysely";
import { NAME_LENGTH } from "./entities/name-length.ts";
import { UniqueKeyError } from "./raw/query-port.ts";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

const READ = defineStatement("registry-id", {}, (db) =>
  db.selectFrom("registry_identity").where("id", "=", sql.lit(1)).select("registry_id"),
);
const INSERT = defineStatement(
  "registry-id-insert",
  { id: param.text(NAME_LENGTH.registryId) },
  (db, { id }) => db.insertInto("registry_identity").values({ id: sql.lit(1), registry_id: id }),
);
/** Returns the id of the registry; undefined before the first start. */
export async function findRegistryId(queries: Queries): Promise<string | undefined> {
  return (await queries.one(READ, {}))?.registry_id;
}

/** Returns the id of the registry. Of several instances that create it, one succeeds. */
export async function ensureRegistryId(queries: Queries): Promise<string> {
  const found = await findRegistryId(queries);
  if (found !== undefined) return found;
  const id = randomUUID();
  try {
    await queries.run(INSERT, { id });
    return id;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
    return (await findRegistryId(queries)) ?? id;
  }
}
