import { parseDigest, useLimits } from "@sealhouse/oci-distribution";
import type {
  BlobCandidate,
  ClaimedBlob,
  Keeping,
  LinkCandidate,
  ManifestCandidate,
  RunKey,
} from "@sealhouse/oci-distribution";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import type { Parameter, Statement } from "../../raw/query-port.ts";
import { numberOf, textOf } from "../../raw/row.ts";
import { findRepository } from "../oci-rows.ts";
import { fill, isUnused } from "./kept-by.ts";
import type { Values } from "./kept-by.ts";
import { BLOCKERS, IS_ROOT, KEEPERS, keepersOf } from "./reached.ts";

type Removed = "removed" | "kept";

const MANIFEST = "select id from oci_manifests where repository_id = ? and digest = ?";
const DROP_TAGS = { name: "gc-drop-tags", sql: "delete from oci_tags where manifest_id = ?" };
const DROP_EDGES = {
  name: "gc-drop-edges",
  sql: "delete from oci_manifest_edges where manifest_id = ?",
};
const DROP_MANIFEST = { name: "gc-drop-manifest", sql: "delete from oci_manifests where id = ?" };

export type ManifestRemoval = {
  readonly run: RunKey;
  readonly candidate: ManifestCandidate;
  readonly untaggedSince: Date;
  readonly stuck: boolean;
};

/**
 * Removes a manifest. A push that needs or tags it locks the same row, so it either precedes and is
 * seen here, or finds no manifest.
 */
export function removeManifest(
  changes: Changes,
  { run, candidate, untaggedSince, stuck }: ManifestRemoval,
): Promise<Removed | "blocked"> {
  return changes.transaction(async (unit) => {
    const { digest } = candidate;
    const repository = await findRepository(unit, candidate.repository);
    if (repository === undefined) return "kept";
    const [row] = await locked(unit, { name: "gc-manifest", sql: MANIFEST }, [repository, digest]);
    if (!row) return "kept";
    const manifest = numberOf(row, "id");
    const values = { ...useLimits(run, untaggedSince), now: changes.now() };
    if (await hasRow(unit, OWN_ROOT, [manifest, ...fill(IS_ROOT, values)])) return "kept";
    if (await isBlocked(unit, manifest, "always")) return "blocked";
    if (await isBlocked(unit, manifest, "if-reached")) {
      if (!stuck) return "blocked";
      if (await hasRootAbove(unit, { repository, manifest, values })) return "kept";
    }
    await unit.run(DROP_TAGS, [manifest]);
    await unit.run(DROP_EDGES, [manifest]);
    await unit.run(DROP_MANIFEST, [manifest]);
    return "removed";
  });
}

const OWN_ROOT = {
  name: "gc-own-root",
  sql: `select 1 from oci_manifests m where m.id = ? and ${IS_ROOT.sql} limit 1`,
};

function isBlocked(unit: Unit, manifest: number, blocks: Keeping["blocks"]): Promise<boolean> {
  const { sql, parts } = BLOCKERS[blocks];
  const ids = Array.from({ length: parts * 2 }, () => manifest);
  return hasRow(unit, { name: `gc-blocked-${blocks}`, sql }, ids);
}

const LOCK_KEEPERS = `${KEEPERS} select m.id from oci_manifests m
  where m.id in (select id from keepers) order by m.digest`;
const ROOT_ABOVE = `${KEEPERS} select 1 from keepers k join oci_manifests m on m.id = k.id
  where ${IS_ROOT.sql} limit 1`;

type Above = { readonly repository: number; readonly manifest: number; readonly values: Values };

/**
 * Whether a root keeps the manifest, directly or indirectly. Locks all of these first, so that none
 * gets a tag before the commit.
 */
async function hasRootAbove(unit: Unit, { repository, manifest, values }: Above) {
  const keepers = keepersOf(manifest, repository);
  await unit.read({ sql: `${LOCK_KEEPERS}${unit.forUpdate}` }, keepers);
  return hasRow(unit, { sql: ROOT_ABOVE }, [...keepers, ...fill(IS_ROOT, values)]);
}

const BLOB = `select id, storage_key from blobs
  where protocol = 'oci' and digest = ? and state = 'live'`;

/** The link, in a statement that changes it. */
const UNUSED_LINK = isUnused("link", {
  digest: "(select b.digest from blobs b where b.id = oci_repository_blobs.blob_id)",
  clocks: {
    link: "oci_repository_blobs.linked_at",
    blob: "(select b.touched_at from blobs b where b.id = oci_repository_blobs.blob_id)",
  },
  namedBy: {
    edges: {
      sql: `select 1 from oci_manifest_edges e join blobs b on b.digest = e.child
        where e.repository_id = oci_repository_blobs.repository_id
        and b.id = oci_repository_blobs.blob_id`,
      takes: [],
    },
  },
});
const DROP_LINK = {
  name: "gc-drop-link",
  sql: `delete from oci_repository_blobs where blob_id = ?
    and repository_id = (select id from oci_repositories where name = ?) and ${UNUSED_LINK.sql}`,
};

/** The blob, in a statement that changes it. */
const UNUSED_BLOB = isUnused("blob", {
  digest: "blobs.digest",
  clocks: { blob: "blobs.touched_at" },
  namedBy: {
    links: {
      sql: "select 1 from oci_repository_blobs l where l.blob_id = blobs.id",
      takes: [],
    },
  },
});
const CLAIM = {
  name: "gc-claim-blob",
  sql: `update blobs set state = 'deleting' where id = ? and ${UNUSED_BLOB.sql}`,
};

/**
 * Removes a link. The lock on the blob prevents a push from using it, and earlier references are
 * visible.
 */
export function removeLink(
  changes: Changes,
  run: RunKey,
  { repository, digest }: LinkCandidate,
): Promise<Removed> {
  return changes.transaction(async (unit) => {
    const blob = await lockBlob(unit, digest);
    if (!blob) return "kept";
    const unused = fill(UNUSED_LINK, valuesOf(run, changes));
    return (await unit.run(DROP_LINK, [blob.id, repository, ...unused])) > 0 ? "removed" : "kept";
  });
}

export function claimBlob(
  changes: Changes,
  run: RunKey,
  { digest }: BlobCandidate,
): Promise<ClaimedBlob | "kept"> {
  return changes.transaction(async (unit) => {
    const blob = await lockBlob(unit, digest);
    if (!blob) return "kept";
    const unused = fill(UNUSED_BLOB, valuesOf(run, changes));
    if ((await unit.run(CLAIM, [blob.id, ...unused])) === 0) return "kept";
    return { id: blob.id, digest: parseDigest(digest), key: blob.key };
  });
}

function valuesOf(run: RunKey, changes: Changes): Values {
  return { ...useLimits(run), now: changes.now() };
}

/** Keeps a blob that was referenced again since, because it has another key. */
const FORGET = {
  name: "gc-forget-blob",
  sql: `delete from blobs where id = ? and storage_key = ?
    and state in ('deleting', 'delete-failed')`,
};
const FAIL = {
  name: "gc-fail-blob",
  sql: `update blobs set state = 'delete-failed' where id = ? and storage_key = ?
    and state = 'deleting'`,
};

export function forgetBlob(changes: Changes, run: RunKey, blob: ClaimedBlob): Promise<void> {
  return endOf(changes, run, blob, FORGET);
}

export function failBlob(changes: Changes, run: RunKey, blob: ClaimedBlob): Promise<void> {
  return endOf(changes, run, blob, FAIL);
}

async function endOf(
  changes: Changes,
  run: RunKey,
  { id, key }: ClaimedBlob,
  statement: typeof FORGET,
): Promise<void> {
  await changes.transaction(async (unit) => {
    await unit.run(statement, [id, key]);
  });
}

async function lockBlob(unit: Unit, digest: string) {
  const [row] = await locked(unit, { name: "gc-blob", sql: BLOB }, [digest]);
  return row && { id: numberOf(row, "id"), key: textOf(row, "storage_key") };
}

function locked(
  { read, forUpdate }: Unit,
  { name, sql }: { readonly name: string; readonly sql: string },
  parameters: readonly (string | number)[],
) {
  return read({ name: `${name}${forUpdate}`, sql: `${sql}${forUpdate}` }, parameters);
}

async function hasRow(
  { read }: Unit,
  statement: Statement,
  parameters: readonly Parameter[],
): Promise<boolean> {
  return (await read(statement, parameters)).length > 0;
}
