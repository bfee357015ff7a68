import { sql } from "#kysely";
import { MAX_INDEX_DEPTH } from "@sealhouse/oci-distribution";
import type { Digest, ManifestEdge, NewManifest } from "@sealhouse/oci-distribution";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { lockLiveBlobs } from "./oci-rows.ts";
import type { LockedBlob } from "./oci-rows.ts";

type Within = Pick<Unit, "queries">;

const DIGESTS = { repository: param.whole, digests: param.texts };
const BLOBS = { repository: param.whole, blobs: param.wholes };

const TOUCH_BLOBS = defineStatement(
  "oci-blobs-touch",
  { blobs: param.wholes, now: param.time },
  (db, { blobs, now }, own) =>
    own.byList(
      db.updateTable("blobs").set({ touched_at: now }).where("id", "in", own.wholesIn(blobs)),
    ),
);
const RENEW_LINKS = defineStatement(
  "oci-links-renew",
  { ...BLOBS, now: param.time },
  (db, { repository, blobs, now }, own) =>
    own.byList(
      db
        .updateTable("oci_repository_blobs")
        .set({ linked_at: now })
        .where("repository_id", "=", repository)
        .where("blob_id", "in", own.wholesIn(blobs)),
    ),
);
const CHILDREN = defineStatement("oci-children", DIGESTS, (db, { repository, digests }, own) =>
  db
    .selectFrom("oci_manifests as m")
    .innerJoin("oci_manifest_edges as e", (join) =>
      join.onRef("e.manifest_id", "=", "m.id").on("e.kind", "=", sql.lit("child")),
    )
    .where("m.repository_id", "=", repository)
    .where("m.digest", "in", own.textsIn(digests))
    .select("e.child")
    .distinct(),
);
const LOCK_MANIFESTS = defineStatement(
  "oci-manifests-lock",
  DIGESTS,
  (db, { repository, digests }, own) =>
    own.forUpdate(
      db
        .selectFrom("oci_manifests")
        .where("repository_id", "=", repository)
        .where("digest", "in", own.textsIn(digests))
        .where("deleted_at", "is", null)
        .select(["digest", "size"])
        .orderBy("digest"),
    ),
);
const LINKED = defineStatement("oci-links-of", BLOBS, (db, { repository, blobs }, own) =>
  db
    .selectFrom("oci_repository_blobs")
    .where("repository_id", "=", repository)
    .where("blob_id", "in", own.wholesIn(blobs))
    .select("blob_id"),
);

export type References =
  | { readonly status: "complete" }
  | { readonly status: "missing"; readonly digests: readonly Digest[] }
  | { readonly status: "size-mismatch"; readonly digest: Digest };

/**
 * Rule R2: locks every row the manifest needs and checks that each is live, linked here and of the
 * size the manifest says. What passes stays until the commit, and the edges keep it afterwards.
 */
export async function lockReferences(
  unit: Within,
  { edges }: NewManifest,
  options: { readonly repository: number | undefined; readonly clock: Clock },
): Promise<References> {
  const checked = edges.filter(({ kind }) => kind !== "foreign" && kind !== "sparse");
  const { sizes, blobs } = await lockedFor(unit, checked, options.repository);
  const missing = checked.filter((edge) => sizes(edge) === undefined);
  if (missing.length > 0) {
    return { status: "missing", digests: [...new Set(missing.map(({ digest }) => digest))] };
  }
  const wrong = checked.find((edge) => sizes(edge) !== edge.size);
  if (wrong) return { status: "size-mismatch", digest: wrong.digest };
  await renew(unit, blobs, options);
  return { status: "complete" };
}

/** Rule R1: the push of a manifest is a positive answer about all that it needs. */
async function renew(
  { queries }: Within,
  locked: readonly LockedBlob[],
  { repository, clock }: { readonly repository: number | undefined; readonly clock: Clock },
): Promise<void> {
  const blobs = locked.filter(({ touchedAt }) => isDue(touchedAt, clock)).map(({ id }) => id);
  if (blobs.length === 0 || repository === undefined) return;
  const now = clock.now();
  await queries.run(TOUCH_BLOBS, { blobs, now });
  await queries.run(RENEW_LINKS, { repository, blobs, now });
}

/**
 * Whether indexes nest too deeply. Visits each manifest once per level, so shared children cost no
 * more.
 */
export async function isTooDeep(
  { queries }: Within,
  { edges }: Pick<NewManifest, "edges">,
  repository: number,
): Promise<boolean> {
  const children = edges.filter(({ kind }) => kind === "child").map(({ digest }) => digest);
  let level: readonly string[] = [...new Set(children)];
  for (let depth = 1; depth <= MAX_INDEX_DEPTH && level.length > 0; depth += 1) {
    const rows = await queries.all(CHILDREN, { repository, digests: level });
    level = rows.map(({ child }) => child);
  }
  return level.length > 0;
}

type Locked = {
  readonly blobs: readonly LockedBlob[];
  readonly sizes: (edge: ManifestEdge) => number | undefined;
};

async function lockedFor(
  unit: Within,
  edges: readonly ManifestEdge[],
  repository: number | undefined,
): Promise<Locked> {
  if (repository === undefined) return { blobs: [], sizes: () => undefined };
  const children = edges.filter(({ kind }) => kind === "child").map(({ digest }) => digest);
  const manifestSizes = await lockedManifests(unit, children, repository);
  const blobs = await lockLiveBlobs(unit, [...new Set(edges.map(({ digest }) => digest))]);
  const linked = await linkedOf(unit, blobs, repository);
  const blobSizes = new Map(
    blobs.filter(({ id }) => linked.has(id)).map(({ digest, size }) => [digest, size]),
  );
  return {
    blobs,
    sizes: ({ kind, digest }) =>
      (kind === "child" ? manifestSizes.get(digest) : undefined) ?? blobSizes.get(digest),
  };
}

async function lockedManifests(
  { queries }: Within,
  digests: readonly string[],
  repository: number,
): Promise<ReadonlyMap<string, number>> {
  if (digests.length === 0) return new Map();
  // In order, because MySQL locks the rows in the order of the list.
  const rows = await queries.all(LOCK_MANIFESTS, { repository, digests: digests.toSorted() });
  return new Map(rows.map(({ digest, size }) => [digest, size]));
}

async function linkedOf(
  { queries }: Within,
  blobs: readonly LockedBlob[],
  repository: number,
): Promise<ReadonlySet<number>> {
  const ids = blobs.map(({ id }) => id);
  const rows = await queries.all(LINKED, { repository, blobs: ids });
  return new Set(rows.map((row) => row.blob_id));
}
