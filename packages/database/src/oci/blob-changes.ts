import type { Caller } from "@sealhouse/request-types";
import { SYSTEM } from "@sealhouse/events";
import type { BlobCatalog, Digest, NewBlob, RepositoryName } from "@sealhouse/oci-distribution";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { nameBlob } from "../blobs/name-blob.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";
import {
  findRepository,
  isDigestHeld,
  linkBlob,
  lockLiveBlobs,
  openRepository,
} from "./oci-rows.ts";

/** A mount without a source looks at this many repositories at most. */
const MOUNT_SOURCES_MAX = 1_000;

const TOUCH: Statement = {
  name: "blob-touch",
  sql: "update blobs set touched_at = ? where id = ?",
};
const SOURCES: Statement = {
  name: "oci-blob-sources",
  sql: `select r.name from oci_repository_blobs l join oci_repositories r on r.id = l.repository_id
    where l.blob_id = ? limit ${MOUNT_SOURCES_MAX}`,
};
const SOURCE: Statement = {
  name: "oci-blob-source",
  sql: `select r.name from oci_repositories r join oci_repository_blobs l on l.repository_id = r.id
    where r.name = ? and l.blob_id = ?`,
};
const LINKED: Statement = {
  name: "oci-blob-linked",
  sql: "select 1 from oci_repository_blobs where repository_id = ? and blob_id = ?",
};
const NEEDED: Statement = {
  name: "oci-blob-needed",
  sql: "select 1 from oci_manifest_edges where repository_id = ? and child = ? limit 1",
};
const UNLINK: Statement = {
  name: "oci-blob-unlink",
  sql: "delete from oci_repository_blobs where repository_id = ? and blob_id = ?",
};

export type BlobChanges = Pick<BlobCatalog, "link" | "mount" | "unlink">;

/** Links have no events, because a push ends with the event of its manifest. */
export function createBlobChanges(changes: Changes): BlobChanges {
  return {
    link: (repository, blob, caller) => link(changes, { ...blob, repository }, caller),
    mount: (repository, digest, from) => mount(changes, { repository, digest, from }),
    unlink: (repository, digest, caller) => unlink(changes, { repository, digest }, caller),
  };
}

function link(
  changes: Changes,
  { repository, ...given }: NewBlob & { readonly repository: RepositoryName },
  caller: Caller = SYSTEM,
): Promise<{ readonly surplus: boolean }> {
  return changes.transaction(async (unit) => {
    unit.askedBy(caller);
    const now = changes.now();
    const blob = await nameBlob(unit, { ...given, protocol: "oci" }, now);
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
    unit.askedBy(from.caller ?? SYSTEM);
    const [blob] = await lockLiveBlobs(unit, [digest]);
    if (!blob) return false;
    const sources = await sourcesOf(unit, blob.id, from.repository);
    if (!sources.some((source) => from.mayPull(source))) return false;
    const now = changes.now();
    await unit.run(TOUCH, [now, blob.id]);
    const target = await openRepository(unit, repository, now);
    await linkBlob(unit, { repository: target, blob: blob.id }, now);
    return true;
  });
}

async function sourcesOf(
  { read }: Unit,
  blob: number,
  name: RepositoryName | undefined,
): Promise<readonly RepositoryName[]> {
  const rows = name === undefined ? await read(SOURCES, [blob]) : await read(SOURCE, [name, blob]);
  return rows.map((row) => parseRepositoryName(textOf(row, "name")));
}

function unlink(
  changes: Changes,
  { repository: name, digest }: { readonly repository: RepositoryName; readonly digest: Digest },
  caller: Caller = SYSTEM,
): ReturnType<BlobCatalog["unlink"]> {
  return changes.transaction(async (unit) => {
    unit.askedBy(caller);
    // The lock prevents a concurrent manifest from using this link.
    const [blob] = await lockLiveBlobs(unit, [digest], { damaged: "too" });
    const repository = await findRepository(unit, name);
    if (!blob || repository === undefined) return "absent";
    const linkOfBlob = [repository, blob.id];
    if ((await unit.read(LINKED, linkOfBlob)).length === 0) return "absent";
    if ((await unit.read(NEEDED, [repository, digest])).length > 0) return "referenced";
    if (await isDigestHeld(unit, digest, changes.now())) return "held";
    await unit.run(UNLINK, linkOfBlob);
    return "unlinked";
  });
}
