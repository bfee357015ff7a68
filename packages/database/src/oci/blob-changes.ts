import type { BlobCatalog, Digest, NewBlob, RepositoryName } from "@sealhouse/oci-distribution";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { nameBlob } from "../blobs/name-blob.ts";
import { Blob } from "../entities/blob.ts";
import { OciBlobLink, OciManifestEdge, OciRepository } from "../entities/oci.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import {
  findRepository,
  isDigestHeld,
  linkBlob,
  lockLiveBlobs,
  openRepository,
} from "./oci-rows.ts";

/** A mount without a source looks at this many repositories at most. */
const MOUNT_SOURCES_MAX = 1_000;

export type BlobChanges = Pick<BlobCatalog, "link" | "mount" | "unlink">;

/** Links come and go without events: a blob is no package, and a push ends with its manifest. */
export function createBlobChanges(changes: Changes): BlobChanges {
  return {
    link: (repository, blob) => link(changes, repository, blob),
    mount: (repository, digest, from) => mount(changes, { repository, digest, from }),
    unlink: (repository, digest) => unlink(changes, repository, digest),
  };
}

function link(
  changes: Changes,
  repository: RepositoryName,
  { digest, key, size }: NewBlob,
): Promise<{ readonly surplus: boolean }> {
  return changes.transaction(async (unit) => {
    const now = changes.now();
    const blob = await nameBlob(unit, { protocol: "oci", digest, key, size }, now);
    const repositoryId = await openRepository(unit, repository, now);
    await linkBlob(unit, { repository: repositoryId, blob: blob.id }, now);
    return { surplus: blob.surplus };
  });
}

type Mount = {
  readonly repository: RepositoryName;
  readonly digest: Digest;
  readonly from: Parameters<BlobCatalog["mount"]>[2];
};

function mount(changes: Changes, { repository, digest, from }: Mount): Promise<boolean> {
  return changes.transaction(async (unit) => {
    const [blob] = await lockLiveBlobs(unit, [digest]);
    if (!blob) return false;
    const sources = await sourcesOf(unit, blob.id, from.repository);
    if (!sources.some((source) => from.mayPull(source))) return false;
    const now = changes.now();
    await unit.catalog.nativeUpdate(Blob, { id: blob.id }, { touchedAt: now });
    const target = await openRepository(unit, repository, now);
    await linkBlob(unit, { repository: target, blob: blob.id }, now);
    return true;
  });
}

async function sourcesOf(
  { catalog }: Unit,
  blob: number,
  name: RepositoryName | undefined,
): Promise<readonly RepositoryName[]> {
  const links = await catalog.find(
    OciBlobLink,
    { blob },
    { fields: ["repository"], disableIdentityMap: true },
  );
  const linked = { id: { $in: links.map((one) => one.repository) } };
  const rows = await catalog.find(
    OciRepository,
    name === undefined ? linked : { ...linked, name },
    { fields: ["name"], limit: MOUNT_SOURCES_MAX, disableIdentityMap: true },
  );
  return rows.map((row) => parseRepositoryName(row.name));
}

function unlink(
  changes: Changes,
  name: RepositoryName,
  digest: Digest,
): ReturnType<BlobCatalog["unlink"]> {
  return changes.transaction(async (unit) => {
    // The lock keeps a manifest that is being recorded from counting on this link.
    const [blob] = await lockLiveBlobs(unit, [digest], { damaged: "too" });
    const repository = await findRepository(unit, name);
    if (!blob || repository === undefined) return "absent";
    const { catalog } = unit;
    const linkOfBlob = { repository, blob: blob.id };
    if ((await catalog.count(OciBlobLink, linkOfBlob)) === 0) return "absent";
    const needed = await catalog.count(OciManifestEdge, { repository, child: digest });
    if (needed > 0) return "referenced";
    if (await isDigestHeld(unit, digest, changes.now())) return "held";
    await catalog.nativeDelete(OciBlobLink, linkOfBlob);
    return "unlinked";
  });
}
