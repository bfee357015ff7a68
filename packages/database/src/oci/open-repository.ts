import { sql } from "#kysely";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import { mirroredName, ownName } from "@sealhouse/oci-distribution";
import type { Caller } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { ownNewName, refuseTakenName } from "../ownership/first-owner.ts";
import { claimOwn } from "../upstream/name-origins.ts";
import { ociParam } from "./oci-param.ts";
import { findRepository } from "./oci-rows.ts";

const NAME = { name: ociParam.repositoryName };

const FIND = defineStatement("oci-repository-origin", NAME, (db, { name }) =>
  db
    .selectFrom("oci_repositories as r")
    .leftJoin("name_origins as o", (join) =>
      join.on("o.protocol", "=", sql.lit("oci")).onRef("o.name", "=", "r.name"),
    )
    .where("r.name", "=", name)
    .select(["r.id", "o.origin"]),
);
const OPEN = defineStatement(
  "oci-repository-open",
  { ...NAME, now: param.time },
  (db, { name, now }) =>
    db.insertInto("oci_repositories").values({ name, created_at: now, pulls: sql.lit(0) }),
);

/** Who writes to a repository: clients that push, or the mirror of a source. */
export type Writer = "push" | "mirror";

type Written = {
  readonly name: RepositoryName;
  readonly writer: Writer;
  readonly caller: Caller;
};

/**
 * Returns the row of a repository that exists, for a write to it. A push does not write to a
 * repository that is mirrored, and a mirror to no other.
 * @throws {OciError} `DENIED`
 * @throws NameTakenError
 */
export async function repositoryForWrite(
  changes: Changes,
  unit: Unit,
  written: Written,
): Promise<number | undefined> {
  const row = await unit.queries.one(FIND, { name: written.name });
  if (!row) return undefined;
  const isMirrored = row.origin === "mirrored";
  if (isMirrored !== (written.writer === "mirror")) await claim(changes, unit, written);
  await refuseTakenName(unit, { ...written, protocol: "oci" });
  return row.id;
}

/**
 * The same, and creates the repository, which comes to be with its first blob or manifest. Its
 * creator owns it.
 */
export async function openRepository(
  changes: Changes,
  unit: Unit,
  written: Written,
): Promise<number> {
  const known = await repositoryForWrite(changes, unit, written);
  if (known !== undefined) return known;
  await claim(changes, unit, written);
  const { name, caller } = written;
  unit.createsName();
  await ownNewName(changes, unit, { protocol: "oci", name, caller });
  await unit.queries.run(OPEN, { name, now: changes.now() });
  const opened = await findRepository(unit, name);
  if (opened === undefined) throw new Error(`the repository ${name} has no row`);
  return opened;
}

async function claim(
  changes: Changes,
  unit: Unit,
  { name, writer }: Pick<Written, "name" | "writer">,
): Promise<void> {
  // First finds at a source, and releases, wait for the same row.
  await changes.stale(unit, `oci/${name}`);
  const claimed = await claimOwn(unit, { protocol: "oci", name, now: changes.now() });
  if (claimed && writer === "push") throw mirroredName(name, claimed.mirroredFrom);
  if (!claimed && writer === "mirror") throw ownName(name);
}
