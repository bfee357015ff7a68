import { sql } from "#kysely";
import type { RepositoryName } from "@sealhouse/oci-distribution";
import { mirroredName, ownName } from "@sealhouse/oci-distribution";
import type { Caller } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { ownNewName, refuseTakenName } from "../ownership/first-owner.ts";
import { claimOwn, mirroredUnlessReserved } from "../upstream/name-origins.ts";
import { ociParam } from "./oci-param.ts";
import { findRepository, manifestsOf } from "./oci-rows.ts";

const NAME = { name: ociParam.repositoryName };

const FIND = defineStatement("oci-repository-origin", NAME, (db, { name }) =>
  db
    .selectFrom("oci_repositories as r")
    .leftJoin("name_origins as o", (join) =>
      join.on("o.protocol", "=", sql.lit("oci")).onRef("o.name", "=", "r.name"),
    )
    .where("r.name", "=", name)
    .select(["r.id", "o.origin"])
    .select((row) =>
      sql<number>`case when ${row.exists(manifestsOf(row.ref("r.id")))} then 1 else 0 end`.as(
        "has_manifests",
      ),
    ),
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

/** A repository that has a row. `isPublished`: it has or had a manifest of the same writer. */
export type OpenRepository = { readonly id: number; readonly isPublished: boolean };

/**
 * Finds the row of a repository for a write to it. A push does not write to a repository that is
 * mirrored, and a mirror to no other.
 * @throws {OciError} `DENIED`
 * @throws NameTakenError
 */
export async function repositoryForWrite(
  unit: Unit,
  written: Written,
): Promise<OpenRepository | undefined> {
  const row = await unit.queries.one(FIND, { name: written.name });
  if (!row || (row.origin === "mirrored") !== (written.writer === "mirror")) {
    await refuseOther(unit, written);
  }
  if (!row) return undefined;
  // A push to a reserved name that was mirrored before makes it an own one.
  const isOfWriter = (row.origin === "mirrored") === (written.writer === "mirror");
  const isPublished = isOfWriter && (row.has_manifests === 1 || row.origin === "own");
  if (isPublished) await refuseTakenName(unit, { ...written, protocol: "oci" });
  return { id: row.id, isPublished };
}

/**
 * Returns the row of a repository for a blob, and creates it. This claims no name: an interrupted
 * push does not keep it from its source, nor from another publisher.
 */
export async function repositoryForBlob(
  changes: Changes,
  unit: Unit,
  written: Written,
): Promise<number> {
  const known = await repositoryForWrite(unit, written);
  if (known?.isPublished) return known.id;
  // The collector, which removes rows without content, waits for the same row.
  await changes.stale(unit, groupOf(written));
  return openRow(changes, unit, written);
}

/**
 * Returns the row of a repository for a manifest. With its first manifest, a repository comes to
 * be: its name is an own one from then on, and its publisher owns it.
 */
export async function repositoryForManifest(
  changes: Changes,
  unit: Unit,
  written: Written,
): Promise<number> {
  const known = await repositoryForWrite(unit, written);
  if (known?.isPublished) return known.id;
  const { name, writer, caller } = written;
  // First finds at a source, and releases, wait for the same row.
  await changes.stale(unit, groupOf(written));
  const now = await repositoryForWrite(unit, written);
  if (now?.isPublished) return now.id;
  const claimed = await claimOwn(unit, { protocol: "oci", name, now: changes.now() });
  if (claimed && writer === "push") throw mirroredName(name, claimed.mirroredFrom);
  if (!claimed && writer === "mirror") throw ownName(name);
  await ownNewName(changes, unit, { protocol: "oci", name, caller });
  return openRow(changes, unit, written);
}

async function openRow(changes: Changes, unit: Unit, { name }: Written): Promise<number> {
  unit.createsName();
  const known = await findRepository(unit, name);
  if (known !== undefined) return known;
  await unit.queries.run(OPEN, { name, now: changes.now() });
  const opened = await findRepository(unit, name);
  if (opened === undefined) throw new Error(`the repository ${name} has no row`);
  return opened;
}

/** Refuses a push to a name that was found at a source, and a mirror of any other. */
async function refuseOther(unit: Unit, { name, writer }: Written): Promise<void> {
  const claimed = await mirroredUnlessReserved(unit, { protocol: "oci", name });
  if (claimed && writer === "push") throw mirroredName(name, claimed.mirroredFrom);
  if (!claimed && writer === "mirror") throw ownName(name);
}

function groupOf({ name }: Pick<Written, "name">): string {
  return `oci/${name}`;
}
