import { sql } from "#kysely";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import type { Caller } from "@sealhouse/request-types";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { ociParam } from "./oci-param.ts";
import { findListedRepository, findRepository } from "./oci-rows.ts";

const NAME = { name: ociParam.repositoryName };

const DROP_LINKS = defineStatement("oci-forget-links", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("oci_repository_blobs").where("repository_id", "=", id),
);
const DROP = defineStatement("oci-forget", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("oci_repositories").where("id", "=", id),
);
/** The origin of a name; a reservation stays. */
const DROP_ORIGIN = defineStatement("oci-forget-origin", NAME, (db, { name }) =>
  db
    .deleteFrom("name_origins")
    .where("protocol", "=", sql.lit("oci"))
    .where("name", "=", name)
    .where("origin", "in", [sql.lit("own"), sql.lit("mirrored")]),
);
const DROP_OWNERS = defineStatement("oci-forget-owners", NAME, (db, { name }) =>
  db.deleteFrom("ownerships").where("protocol", "=", sql.lit("oci")).where("name_key", "=", name),
);

/** Outcome of `ForgetRepository`. `content`: it has manifests, or the collector has not removed
 * them yet. */
export type Forgotten = "forgotten" | "content" | "absent";

/**
 * Removes the rows of a repository without manifests: its links to blobs, its origin and its
 * owners. The name is then one that was never pushed.
 */
export type ForgetRepository = (name: RepositoryName, caller: Caller) => Promise<Forgotten>;

export function createForgetRepository({
  changes,
}: Pick<PortContext, "changes">): ForgetRepository {
  return (name, caller) =>
    changes.transaction(async (unit) => {
      const { queries } = unit;
      const subject = `oci/${name}`;
      // Pushes of a first manifest wait for the same row.
      await changes.stale(unit, subject);
      if ((await findListedRepository(unit, name)) !== undefined) return "content";
      const id = await findRepository(unit, name);
      if (id !== undefined) {
        await queries.run(DROP_LINKS, { id });
        await queries.run(DROP, { id });
      }
      const origins = await queries.run(DROP_ORIGIN, { name });
      const owners = await queries.run(DROP_OWNERS, { name });
      if (id === undefined && origins + owners === 0) return "absent";
      await changes.event(unit, { type: "name.released", subject, caller });
      return "forgotten";
    });
}
