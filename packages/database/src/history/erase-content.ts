import type { Caller, Protocol } from "@sealhouse/request-types";
import { releaseBlobs } from "../blobs/release-blobs.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

/** Deleted content of a name that views may still show. */
export type DeletedContent = {
  readonly protocol: Protocol;
  /** As in the history: a lower-case package id, an npm package name or a repository. */
  readonly name: string;
  /** Lower-case version or digest; undefined = all. */
  readonly item?: string | undefined;
};

const NAMED = { protocol: param.text(16), name: param.text(255) };

const KEPT = defineStatement("kept-content-of-name", NAMED, (db, { protocol, name }) =>
  db
    .selectFrom("kept_contents")
    .where("protocol", "=", protocol)
    .where("name", "=", name)
    .select(["id", "item", "blob_id"])
    .orderBy("id"),
);
const DROP = defineStatement("kept-content-erase", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("kept_contents").where("id", "=", id),
);
const MANIFESTS = defineStatement(
  "oci-deleted-manifests",
  { name: param.text(255) },
  (db, { name }) =>
    db
      .selectFrom("oci_repositories as r")
      .innerJoin("oci_manifests as m", "m.repository_id", "r.id")
      .where("r.name", "=", name)
      .where("m.deleted_at", "is not", null)
      .select(["m.id", "m.digest"])
      .orderBy("m.id"),
);
const DROP_EDGES = defineStatement("oci-edges-erase", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("oci_manifest_edges").where("manifest_id", "=", id),
);
/** A push may have brought it back. */
const DROP_MANIFEST = defineStatement("oci-manifest-erase", { id: param.whole }, (db, { id }) =>
  db.deleteFrom("oci_manifests").where("id", "=", id).where("deleted_at", "is not", null),
);

/**
 * Removes deleted content from views before its time is over, with an event for each version or
 * image. Returns the number of them. Sweeps and the collector delete the bytes.
 */
export function eraseContent(
  changes: Changes,
  content: DeletedContent,
  caller: Caller,
): Promise<number> {
  return changes.transaction(async (unit) => {
    const { protocol, name, item } = content;
    const isWanted = (found: string) => item === undefined || item === found;
    const erased =
      protocol === "oci"
        ? await eraseManifests(unit, name, isWanted)
        : await eraseVersions(changes, unit, { protocol, name, isWanted });
    for (const found of erased) {
      const subject = `${protocol}/${name}@${found}`;
      await changes.event(unit, { type: "package.erased", subject, caller });
    }
    return erased.length;
  });
}

type IsWanted = (item: string) => boolean;

async function eraseVersions(
  changes: Changes,
  unit: Unit,
  {
    protocol,
    name,
    isWanted,
  }: {
    readonly protocol: Exclude<Protocol, "oci">;
    readonly name: string;
    readonly isWanted: IsWanted;
  },
): Promise<readonly string[]> {
  const { queries } = unit;
  const rows = await queries.all(KEPT, { protocol, name });
  const wanted = rows.filter((row) => isWanted(row.item));
  if (wanted.length === 0) return [];
  await changes.stale(unit, `${protocol}/${name}`);
  for (const { id } of wanted) await queries.run(DROP, { id });
  const blobIds = wanted.map((row) => row.blob_id);
  await releaseBlobs(unit, blobIds, protocol);
  return wanted.map((row) => row.item);
}

async function eraseManifests(
  { queries }: Unit,
  name: string,
  isWanted: IsWanted,
): Promise<readonly string[]> {
  const rows = await queries.all(MANIFESTS, { name });
  const erased: string[] = [];
  for (const { id, digest } of rows.filter((row) => isWanted(row.digest))) {
    if ((await queries.run(DROP_MANIFEST, { id })) === 0) continue;
    await queries.run(DROP_EDGES, { id });
    erased.push(digest);
  }
  return erased;
}

/** Returns the number of versions and images that `eraseContent` would remove. */
export async function countErasable(
  queries: Pick<Unit["queries"], "all">,
  { protocol, name, item }: DeletedContent,
): Promise<number> {
  const items =
    protocol === "oci"
      ? (await queries.all(MANIFESTS, { name })).map(({ digest }) => digest)
      : (await queries.all(KEPT, { protocol, name })).map((row) => row.item);
  return items.filter((found) => item === undefined || item === found).length;
}
