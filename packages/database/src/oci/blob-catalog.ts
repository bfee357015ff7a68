import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import { SYSTEM } from "@sealhouse/events";
import type { BlobCatalog, Digest, NewBlob, RepositoryName } from "@sealhouse/oci-distribution";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { nameBlob, touchBlob } from "../blobs/name-blob.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { clockOf, isDue } from "./clock.ts";
import { ociParam } from "./oci-param.ts";
import { findRepository, isDigestHeld, linkBlob, lockLiveBlobs, touchLink } from "./oci-rows.ts";
import { repositoryForBlob } from "./open-repository.ts";
import type { Writer } from "./open-repository.ts";

/** A generation lasts far longer than a look. */
const LOOKS_MAX = 3;
/** A mount without a source looks at this many repositories at most. */
const MOUNT_SOURCES_MAX = 1_000;

const DIGEST = { digest: ociParam.digest };
const LINK = { repository: param.whole, blob: param.whole };

const FIND = defineStatement(
  "oci-blob",
  { ...DIGEST, repository: ociParam.repositoryName },
  (db, { digest, repository }) =>
    db
      .selectFrom("oci_repositories as r")
      .innerJoin("blobs as b", (join) =>
        join.on("b.protocol", "=", sql.lit("oci")).on("b.digest", "=", digest),
      )
      .innerJoin("oci_repository_blobs as l", (join) =>
        join.onRef("l.repository_id", "=", "r.id").onRef("l.blob_id", "=", "b.id"),
      )
      .where("r.name", "=", repository)
      .where("b.state", "=", sql.lit("live"))
      .where("b.damaged_at", "is", null)
      .select(["b.id", "l.repository_id", "b.storage_key", "b.size", "b.touched_at"]),
  { recall: "rows" },
);
const KNOWN = defineStatement("oci-blob-known", DIGEST, (db, { digest }, own) =>
  own.limit(
    db
      .selectFrom("blobs as b")
      .innerJoin("oci_repository_blobs as l", "l.blob_id", "b.id")
      .where("b.protocol", "=", sql.lit("oci"))
      .where("b.digest", "=", digest)
      .where("b.state", "=", sql.lit("live"))
      .where("b.damaged_at", "is", null)
      .select("b.id"),
    sql.lit(1),
  ),
);
const TOUCH_GENERATION = defineStatement(
  "oci-blob-touch",
  { id: param.whole, key: param.text(NAME_LENGTH.storageKey), now: param.time },
  (db, { id, key, now }) =>
    db
      .updateTable("blobs")
      .set({ touched_at: now })
      .where("id", "=", id)
      .where("state", "=", sql.lit("live"))
      .where("storage_key", "=", key),
);
const SOURCES = defineStatement("oci-blob-sources", { blob: param.whole }, (db, { blob }, own) =>
  own.limit(
    db
      .selectFrom("oci_repository_blobs as l")
      .innerJoin("oci_repositories as r", "r.id", "l.repository_id")
      .where("l.blob_id", "=", blob)
      .select("r.name"),
    sql.lit(MOUNT_SOURCES_MAX),
  ),
);
const SOURCE = defineStatement(
  "oci-blob-source",
  { blob: param.whole, name: ociParam.repositoryName },
  (db, { blob, name }) =>
    db
      .selectFrom("oci_repositories as r")
      .innerJoin("oci_repository_blobs as l", "l.repository_id", "r.id")
      .where("r.name", "=", name)
      .where("l.blob_id", "=", blob)
      .select("r.name"),
);
const LINKED = defineStatement("oci-blob-linked", LINK, (db, { repository, blob }) =>
  db
    .selectFrom("oci_repository_blobs")
    .where("repository_id", "=", repository)
    .where("blob_id", "=", blob)
    .select("blob_id"),
);
const NEEDED = defineStatement(
  "oci-blob-needed",
  { ...DIGEST, repository: param.whole },
  (db, { repository, digest }, own) =>
    own.limit(
      db
        .selectFrom("oci_manifest_edges")
        .where("repository_id", "=", repository)
        .where("child", "=", digest)
        .select("manifest_id"),
      sql.lit(1),
    ),
);
const UNLINK = defineStatement("oci-blob-unlink", LINK, (db, { repository, blob }) =>
  db
    .deleteFrom("oci_repository_blobs")
    .where("repository_id", "=", repository)
    .where("blob_id", "=", blob),
);

/**
 * A positive answer guarantees that the blob stays for a while (rule R1). An old time of use is
 * renewed before the answer. If the blob or its link changed since, the lookup repeats. Links have
 * no events, because a push ends with the event of its manifest.
 */
export function createBlobCatalog(
  { queries, changes: portChanges }: Pick<PortContext, "queries" | "changes">,
  writer: Writer = "push",
): BlobCatalog {
  const changes: WritersChanges = { ...portChanges, writer };
  const clock = clockOf(changes);
  return {
    async find(repository, digest) {
      for (let look = 0; look < LOOKS_MAX; look += 1) {
        const row = await queries.one(FIND, { digest, repository });
        if (!row) return undefined;
        const blob = { key: row.storage_key, size: row.size };
        if (!isDue(row.touched_at, clock)) return blob;
        if (await renew(queries, row, clock.now())) return blob;
      }
      return undefined;
    },
    isKnown: async (digest) => (await queries.one(KNOWN, { digest })) !== undefined,
    link: (repository, blob, caller) => link(changes, { ...blob, repository }, caller),
    mount: (repository, digest, from) => mount(changes, { repository, digest, from }),
    unlink: (repository, digest, caller) => unlink(changes, { repository, digest }, caller),
  };
}

type WritersChanges = Changes & { readonly writer: Writer };

/** The blob comes first and then the link, because removing a link locks the blob's row. */
async function renew(queries: Queries, row: RowOf<typeof FIND>, now: Date): Promise<boolean> {
  const { id, storage_key: key, repository_id: repository } = row;
  if ((await queries.run(TOUCH_GENERATION, { id, key, now })) === 0) return false;
  return (await touchLink({ queries }, { repository, blob: id }, now)) > 0;
}

function link(
  changes: WritersChanges,
  { repository, ...newBlob }: NewBlob & { readonly repository: RepositoryName },
  caller: Caller = SYSTEM,
): Promise<{ readonly isDuplicate: boolean }> {
  return changes.transaction(async (unit) => {
    unit.askedBy(caller);
    const now = changes.now();
    const blob = await nameBlob(unit, { ...newBlob, protocol: "oci" }, now);
    const { writer } = changes;
    const repositoryId = await repositoryForBlob(changes, unit, {
      name: repository,
      writer,
      caller,
    });
    await linkBlob(unit, { repository: repositoryId, blob: blob.id }, now);
    return { isDuplicate: blob.isDuplicate };
  });
}

type Mount = {
  readonly repository: RepositoryName;
  readonly digest: Digest;
  readonly from: Parameters<BlobCatalog["mount"]>[2];
};

function mount(changes: WritersChanges, { repository, digest, from }: Mount): Promise<boolean> {
  return changes.transaction(async (unit) => {
    unit.askedBy(from.caller ?? SYSTEM);
    const [blob] = await lockLiveBlobs(unit, [digest]);
    if (!blob) return false;
    const sources = await sourcesOf(unit, blob.id, from.repository);
    if (!sources.some((source) => from.mayPull(source))) return false;
    const now = changes.now();
    await touchBlob(unit, blob.id, now);
    const target = await repositoryForBlob(changes, unit, {
      name: repository,
      writer: changes.writer,
      caller: from.caller ?? SYSTEM,
    });
    await linkBlob(unit, { repository: target, blob: blob.id }, now);
    return true;
  });
}

async function sourcesOf(
  { queries }: Unit,
  blob: number,
  name: RepositoryName | undefined,
): Promise<readonly RepositoryName[]> {
  const rows =
    name === undefined
      ? await queries.all(SOURCES, { blob })
      : await queries.all(SOURCE, { blob, name });
  return rows.map((row) => parseRepositoryName(row.name));
}

function unlink(
  changes: Changes,
  { repository: name, digest }: { readonly repository: RepositoryName; readonly digest: Digest },
  caller: Caller = SYSTEM,
): ReturnType<BlobCatalog["unlink"]> {
  return changes.transaction(async (unit) => {
    const { queries } = unit;
    unit.askedBy(caller);
    // The lock prevents a concurrent manifest from using this link.
    const [blob] = await lockLiveBlobs(unit, [digest], { damaged: "too" });
    const repository = await findRepository(unit, name);
    if (!blob || repository === undefined) return "absent";
    const linkOfBlob = { repository, blob: blob.id };
    if (!(await queries.one(LINKED, linkOfBlob))) return "absent";
    if (await queries.one(NEEDED, { repository, digest })) return "referenced";
    if (await isDigestHeld(unit, digest, changes.now())) return "held";
    await queries.run(UNLINK, linkOfBlob);
    return "unlinked";
  });
}
