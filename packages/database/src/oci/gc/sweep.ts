import { parseDigest } from "@sealhouse/oci-distribution";
import type {
  BlobCandidate,
  DyingBlob,
  LinkCandidate,
  ManifestCandidate,
  RunKey,
} from "@sealhouse/oci-distribution";
import type { Changes } from "../../orm/changes.ts";
import type { PlainUnit } from "../../orm/unit-of-work.ts";
import { numberOf, optionalTextOf, textOf, timeOf } from "../../raw/row.ts";
import { findRepository, isDigestHeld } from "../oci-rows.ts";
import { checkFence } from "./fence.ts";
import { IS_ROOT, KEEPERS } from "./reached.ts";

type Removed = "removed" | "kept";

const MANIFEST = `select id, subject, touched_at from oci_manifests
  where repository_id = ? and digest = ?`;
const OWN_TAG = "select 1 from oci_tags where manifest_id = ? and subject is null";
const PARENT = "select 1 from oci_manifest_edges where repository_id = ? and child = ?";
/** Its subject, or what one of its tags is about. */
const SUBJECT = `select 1 from oci_manifests s where s.repository_id = ? and s.digest <> ?
  and (s.digest = ? or s.digest in (select t.subject from oci_tags t where t.manifest_id = ?))`;
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

/** Whoever is about to need the manifest, or to tag it, has its row locked: a push that comes first
 * is seen here, and one that comes later finds it gone. */
export function removeManifest(
  changes: Changes,
  { run, candidate, untaggedSince, stuck }: ManifestRemoval,
): Promise<Removed | "blocked"> {
  const since = untaggedSince < run.unusedSince ? untaggedSince : run.unusedSince;
  return changes.plain(async (unit) => {
    await checkFence(unit, run);
    const now = changes.now();
    const { digest } = candidate;
    const repository = await findRepository(unit, candidate.repository);
    if (repository === undefined) return "kept";
    const [row] = await locked(unit, { name: "gc-manifest", sql: MANIFEST }, [repository, digest]);
    if (!row || timeOf(row, "touched_at") >= since) return "kept";
    const manifest = numberOf(row, "id");
    if (await some(unit, OWN_TAG, [manifest])) return "kept";
    if (await isDigestHeld(unit, digest, now)) return "kept";
    if (await some(unit, PARENT, [repository, digest])) return "blocked";
    const subject = optionalTextOf(row, "subject") ?? "";
    if (await some(unit, SUBJECT, [repository, digest, subject, manifest])) {
      const above = { repository, manifest, since, now };
      if (!stuck) return "blocked";
      if (await hasRootAbove(unit, above)) return "kept";
    }
    await unit.run(DROP_TAGS, [manifest]);
    await unit.run(DROP_EDGES, [manifest]);
    await unit.run(DROP_MANIFEST, [manifest]);
    return "removed";
  });
}

type Above = {
  readonly repository: number;
  readonly manifest: number;
  readonly since: Date;
  readonly now: Date;
};

const LOCK_KEEPERS = `${KEEPERS} select m.id from oci_manifests m
  where m.id in (select id from keepers) order by m.digest`;
const ROOT_ABOVE = `${KEEPERS} select 1 from keepers k join oci_manifests m on m.id = k.id
  where ${IS_ROOT}`;

/** Going up through parents and subjects. All of them are locked first: none gets a tag now. */
async function hasRootAbove(unit: PlainUnit, { repository, manifest, since, now }: Above) {
  const keepers = [manifest, repository, repository, repository];
  await unit.read({ sql: `${LOCK_KEEPERS}${unit.forUpdate}` }, keepers);
  return some(unit, ROOT_ABOVE, [...keepers, since, now]);
}

const BLOB = `select id, storage_key, touched_at from blobs
  where protocol = 'oci' and digest = ? and state = 'live'`;
const HELD = `select 1 from oci_holds where digest = ?
  and (held_until is null or held_until > ?)`;
const DROP_LINK = {
  name: "gc-drop-link",
  sql: `delete from oci_repository_blobs where blob_id = ? and linked_at < ?
    and repository_id = (select id from oci_repositories where name = ?)
    and not exists (select 1 from oci_manifest_edges e
      where e.repository_id = oci_repository_blobs.repository_id and e.child = ?)
    and not exists (${HELD})`,
};
const CLAIM = {
  name: "gc-claim-blob",
  sql: `update blobs set state = 'deleting' where id = ?
    and not exists (select 1 from oci_repository_blobs where blob_id = ?)
    and not exists (${HELD})`,
};

/** The blob's lock keeps a manifest that is being recorded from counting on the link; what is asked
 * once it is held sees everything that was recorded before. */
export function removeLink(
  changes: Changes,
  run: RunKey,
  { repository, digest }: LinkCandidate,
): Promise<Removed> {
  return changes.plain(async (unit) => {
    await checkFence(unit, run);
    const blob = await lockUnused(unit, run, digest);
    if (!blob) return "kept";
    const link = [blob.id, run.unusedSince, repository, digest, digest, changes.now()];
    return (await unit.run(DROP_LINK, link)) > 0 ? "removed" : "kept";
  });
}

export function claimBlob(
  changes: Changes,
  run: RunKey,
  { digest }: BlobCandidate,
): Promise<DyingBlob | "kept"> {
  return changes.plain(async (unit) => {
    await checkFence(unit, run);
    const blob = await lockUnused(unit, run, digest);
    const claimed = blob && (await unit.run(CLAIM, [blob.id, blob.id, digest, changes.now()]));
    if (!blob || claimed === 0) return "kept";
    return { id: blob.id, digest: parseDigest(digest), key: blob.key };
  });
}

/** A blob that was named again since has another key, and stays. */
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

export function forgetBlob(changes: Changes, run: RunKey, blob: DyingBlob): Promise<void> {
  return endOf(changes, run, blob, FORGET);
}

export function failBlob(changes: Changes, run: RunKey, blob: DyingBlob): Promise<void> {
  return endOf(changes, run, blob, FAIL);
}

async function endOf(
  changes: Changes,
  run: RunKey,
  { id, key }: DyingBlob,
  statement: typeof FORGET,
): Promise<void> {
  await changes.plain(async (unit) => {
    await checkFence(unit, run);
    await unit.run(statement, [id, key]);
  });
}

async function lockUnused(unit: PlainUnit, { unusedSince }: RunKey, digest: string) {
  const [row] = await locked(unit, { name: "gc-blob", sql: BLOB }, [digest]);
  if (!row || timeOf(row, "touched_at") >= unusedSince) return undefined;
  return { id: numberOf(row, "id"), key: textOf(row, "storage_key") };
}

function locked(
  { read, forUpdate }: PlainUnit,
  { name, sql }: { readonly name: string; readonly sql: string },
  parameters: readonly (string | number)[],
) {
  return read({ name: `${name}${forUpdate}`, sql: `${sql}${forUpdate}` }, parameters);
}

async function some(
  { read }: PlainUnit,
  sql: string,
  parameters: readonly (string | number | Date)[],
): Promise<boolean> {
  return (await read({ sql: `${sql} limit 1` }, parameters)).length > 0;
}
