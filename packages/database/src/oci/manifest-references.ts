import { MAX_INDEX_DEPTH } from "@sealhouse/oci-distribution";
import type { Digest, ManifestEdge, NewManifest } from "@sealhouse/oci-distribution";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import { marks, overList } from "../raw/lists.ts";
import type { Parameter, Row } from "../raw/query-port.ts";
import { numberOf, textOf } from "../raw/row.ts";
import { isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { DIGESTS_AT_ONCE, lockLiveBlobs } from "./oci-rows.ts";
import type { LockedBlob } from "./oci-rows.ts";

export type References =
  | { readonly status: "complete" }
  | { readonly status: "missing"; readonly digests: readonly Digest[] }
  | { readonly status: "size-mismatch"; readonly digest: Digest };

/**
 * Rule R2: locks every row the manifest needs and checks that each is live, linked here and of the
 * size the manifest says. What passes stays until the commit, and the edges keep it afterwards.
 */
export async function lockReferences(
  unit: Unit,
  { edges }: NewManifest,
  options: { readonly repository: number | undefined; readonly clock: Clock },
): Promise<References> {
  const checked = edges.filter(({ kind }) => kind !== "foreign");
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
  { run }: Unit,
  blobs: readonly LockedBlob[],
  { repository, clock }: { readonly repository: number | undefined; readonly clock: Clock },
): Promise<void> {
  const due = blobs.filter(({ touchedAt }) => isDue(touchedAt, clock)).map(({ id }) => id);
  if (due.length === 0 || repository === undefined) return;
  const now = clock.now();
  for (const some of batches(due, DIGESTS_AT_ONCE)) {
    const list = marks(some.length);
    const touch = `update blobs set touched_at = ? where id in (${list})`;
    await run(overList("oci-blobs-touch", some.length, touch), [now, ...some]);
    const renewal = `update oci_repository_blobs set linked_at = ?
      where repository_id = ? and blob_id in (${list})`;
    await run(overList("oci-links-renew", some.length, renewal), [now, repository, ...some]);
  }
}

/**
 * Whether indexes nest too deeply. Visits each manifest once per level, so shared children cost no
 * more.
 */
export async function isTooDeep(
  { read }: Unit,
  { edges }: Pick<NewManifest, "edges">,
  repository: number,
): Promise<boolean> {
  const children = edges.filter(({ kind }) => kind === "child").map(({ digest }) => digest);
  let level: readonly string[] = [...new Set(children)];
  for (let depth = 1; depth <= MAX_INDEX_DEPTH && level.length > 0; depth += 1) {
    const below = new Set<string>();
    for (const some of batches(level, DIGESTS_AT_ONCE)) {
      const sql = `select distinct e.child from oci_manifests m
        join oci_manifest_edges e on e.manifest_id = m.id and e.kind = 'child'
        where m.repository_id = ? and m.digest in (${marks(some.length)})`;
      const rows = await read(overList("oci-children", some.length, sql), [repository, ...some]);
      for (const row of rows) below.add(textOf(row, "child"));
    }
    level = [...below];
  }
  return level.length > 0;
}

type Locked = {
  readonly blobs: readonly LockedBlob[];
  readonly sizes: (edge: ManifestEdge) => number | undefined;
};

async function lockedFor(
  unit: Unit,
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
  { read, forUpdate }: Unit,
  digests: readonly string[],
  repository: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await inBatches(digests.toSorted(), (some) => {
    const sql = `select digest, size from oci_manifests
      where repository_id = ? and digest in (${marks(some.length)}) order by digest${forUpdate}`;
    return read(overList("oci-manifests-locked", some.length, sql), [repository, ...some]);
  });
  return new Map(rows.map((row) => [textOf(row, "digest"), numberOf(row, "size")]));
}

async function linkedOf(
  { read }: Unit,
  blobs: readonly LockedBlob[],
  repository: number,
): Promise<ReadonlySet<number>> {
  const ids = blobs.map(({ id }) => id);
  const rows = await inBatches(ids, (some) => {
    const sql = `select blob_id from oci_repository_blobs
      where repository_id = ? and blob_id in (${marks(some.length)})`;
    return read(overList("oci-links-of", some.length, sql), [repository, ...some]);
  });
  return new Set(rows.map((row) => numberOf(row, "blob_id")));
}

async function inBatches<T extends Parameter>(
  items: readonly T[],
  ask: (some: readonly T[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const some of batches(items, DIGESTS_AT_ONCE)) rows.push(...(await ask(some)));
  return rows;
}
