import { randomUUID } from "node:crypto";
import { sql } from "#kysely";
import { NAME_LENGTH } from "./entities/name-length.ts";
import { UniqueKeyError } from "./raw/query-port.ts";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

const READ = defineStatement("registry-id", {}, (db) =>
  db
    .selectFrom("registry_identity")
    .where("id", "=", sql.lit(1))
    .select(["registry_id", "owners_mode"]),
);
const INSERT = defineStatement(
  "registry-id-insert",
  { id: param.text(NAME_LENGTH.registryId), mode: param.optional(param.text(16)) },
  (db, { id, mode }) =>
    db
      .insertInto("registry_identity")
      .values({ id: sql.lit(1), registry_id: id, owners_mode: mode }),
);
/** Without rows when nothing was published yet. */
const USED = defineStatement("registry-used", {}, (db) =>
  db
    .selectFrom("nuget_packages")
    .select((row) => row.fn.min("id").as("id"))
    .unionAll(db.selectFrom("npm_packages").select((row) => row.fn.min("id").as("id")))
    .unionAll(db.selectFrom("oci_repositories").select((row) => row.fn.min("id").as("id"))),
);

const ENFORCE = "enforce";

/** `enforce` when names have had owners since the first start; undefined in older databases. */
export async function findOwnersMode(queries: Queries): Promise<"enforce" | undefined> {
  return (await queries.one(READ, {}))?.owners_mode === ENFORCE ? ENFORCE : undefined;
}

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
    // In a database that is older than owners, an update does not begin to refuse publishers.
    const isNew = (await queries.all(USED, {})).every((row) => row.id === null);
    await queries.run(INSERT, { id, mode: isNew ? ENFORCE : undefined });
    return id;
  } catch (error) {
    if (!(error instanceof UniqueKeyError)) throw error;
    return (await findRegistryId(queries)) ?? id;
  }
}
