import { LockMode } from "@mikro-orm/core";
import { MAX_INDEX_DEPTH } from "@sealhouse/oci-distribution";
import type { Digest, ManifestEdge, NewManifest } from "@sealhouse/oci-distribution";
import { Blob } from "../entities/blob.ts";
import { OciBlobLink, OciManifest, OciManifestEdge } from "../entities/oci.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { lockLiveBlobs } from "./oci-rows.ts";
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
  { catalog }: Unit,
  blobs: readonly LockedBlob[],
  { repository, clock }: { readonly repository: number | undefined; readonly clock: Clock },
): Promise<void> {
  const due = blobs.filter(({ touchedAt }) => isDue(touchedAt, clock)).map(({ id }) => id);
  if (due.length === 0 || repository === undefined) return;
  const now = clock.now();
  await catalog.nativeUpdate(Blob, { id: { $in: due } }, { touchedAt: now });
  await catalog.nativeUpdate(OciBlobLink, { repository, blob: { $in: due } }, { linkedAt: now });
}

/** Whether indexes nest deeper than they may: level by level, each manifest once in each, so that
 * children which many share cost no more than others. */
export async function isTooDeep(
  { catalog }: Unit,
  { edges }: Pick<NewManifest, "edges">,
  repository: number,
): Promise<boolean> {
  const children = edges.filter(({ kind }) => kind === "child").map(({ digest }) => digest);
  let level: ReadonlySet<string> = new Set(children);
  for (let depth = 1; depth <= MAX_INDEX_DEPTH && level.size > 0; depth += 1) {
    const parents = await catalog.find(
      OciManifest,
      { repository, digest: { $in: [...level] } },
      { fields: ["id"], disableIdentityMap: true },
    );
    if (parents.length === 0) return false;
    const manifest = { $in: parents.map(({ id }) => id) };
    const below = await catalog.find(
      OciManifestEdge,
      { manifest, kind: "child" },
      { fields: ["child"], disableIdentityMap: true },
    );
    level = new Set(below.map(({ child }) => child));
  }
  return level.size > 0;
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
  const manifests = await unit.catalog.find(
    OciManifest,
    { repository, digest: { $in: children } },
    {
      fields: ["digest", "size"],
      orderBy: { digest: "asc" },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      disableIdentityMap: true,
    },
  );
  const blobs = await lockLiveBlobs(unit, [...new Set(edges.map(({ digest }) => digest))]);
  const links = await unit.catalog.find(
    OciBlobLink,
    { repository, blob: { $in: blobs.map(({ id }) => id) } },
    { fields: ["blob"], disableIdentityMap: true },
  );
  const linked = new Set(links.map(({ blob }) => blob));
  const blobSizes = new Map(
    blobs.filter(({ id }) => linked.has(id)).map(({ digest, size }) => [digest, size]),
  );
  const manifestSizes = new Map(manifests.map(({ digest, size }) => [digest, size]));
  return {
    blobs,
    sizes: ({ kind, digest }) =>
      (kind === "child" ? manifestSizes.get(digest) : undefined) ?? blobSizes.get(digest),
  };
}
