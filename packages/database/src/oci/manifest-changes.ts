import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type {
  Digest,
  ImmutableTags,
  ManifestCatalog,
  NewManifest,
  RepositoryName,
} from "@sealhouse/oci-distribution";
import { NO_IMMUTABLE_TAGS, subjectOfTag } from "@sealhouse/oci-distribution";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { batches } from "../raw/batches.ts";
import { overList } from "../raw/lists.ts";
import type { Statement } from "../raw/query-port.ts";
import { numberOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { refuseToMove, unlessImmutable } from "./immutable-tags.ts";
import { immutableTagAbove, isHeldFromAbove, lockIndexesAbove } from "./indexes-above.ts";
import { isTooDeep, lockReferences } from "./manifest-references.ts";
import { findRepository, openRepository, touchManifest } from "./oci-rows.ts";

const EDGES_AT_ONCE = 500;

const FIND: Statement = {
  name: "oci-manifest-id",
  sql: "select id from oci_manifests where repository_id = ? and digest = ?",
};
const INSERT: Statement = {
  name: "oci-manifest-insert",
  sql: `insert into oci_manifests (repository_id, digest, media_type, size, bytes, subject,
    artifact_type, annotations, pushed_at, touched_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
const FIND_TAG: Statement = {
  name: "oci-tag-manifest",
  sql: "select manifest_id from oci_tags where repository_id = ? and tag = ?",
};
const INSERT_TAG: Statement = {
  name: "oci-tag-insert",
  sql: `insert into oci_tags (repository_id, tag, manifest_id, subject, updated_at)
    values (?, ?, ?, ?, ?)`,
};
const MOVE_TAG: Statement = {
  name: "oci-tag-move",
  sql: "update oci_tags set manifest_id = ?, updated_at = ? where repository_id = ? and tag = ?",
};

const DELETE_TAG = defineStatement(
  "oci-tag-remove",
  { repository: param.whole, tag: param.text(128) },
  (db, { repository, tag }) =>
    db.deleteFrom("oci_tags").where("repository_id", "=", repository).where("tag", "=", tag),
);
const DELETE_TAGS = defineStatement(
  "oci-tags-of-manifest-remove",
  { manifest: param.whole },
  (db, { manifest }) => db.deleteFrom("oci_tags").where("manifest_id", "=", manifest),
);
const ALLOW_ABSENT = defineStatement(
  "oci-edges-allow-absent",
  { repository: param.whole, child: param.text(NAME_LENGTH.digest) },
  (db, { repository, child }) =>
    db
      .updateTable("oci_manifest_edges")
      .set({ kind: sql.lit("foreign") })
      .where("repository_id", "=", repository)
      .where("child", "=", child)
      .where("kind", "=", sql.lit("child")),
);
const DELETE_EDGES = defineStatement(
  "oci-edges-of-manifest-remove",
  { manifest: param.whole },
  (db, { manifest }) => db.deleteFrom("oci_manifest_edges").where("manifest_id", "=", manifest),
);
const DELETE = defineStatement(
  "oci-manifest-remove",
  { manifest: param.whole },
  (db, { manifest }) => db.deleteFrom("oci_manifests").where("id", "=", manifest),
);

export type ManifestChanges = Pick<ManifestCatalog, "record" | "deleteTag" | "deleteManifest">;

/** The changes, and which tags none of them may touch. */
type Ruled = Changes & { readonly immutable: ImmutableTags };

export function createManifestChanges(
  given: Changes,
  immutable: ImmutableTags = NO_IMMUTABLE_TAGS,
): ManifestChanges {
  const changes: Ruled = { ...given, immutable };
  return {
    record: (manifest, caller) => unlessImmutable(record(changes, manifest, caller)),
    deleteTag: (repository, tag, caller) => deleteTag(changes, { repository, tag }, caller),
    deleteManifest: (repository, digest, caller) =>
      deleteManifest(changes, { repository, digest }, caller),
  };
}

type Recorded = Awaited<ReturnType<ManifestCatalog["record"]>>;

function record(changes: Ruled, given: NewManifest, caller: Caller): Promise<Recorded> {
  return changes.transaction(async (unit) => {
    // A push of an existing manifest has no event.
    unit.askedBy(caller);
    const now = changes.now();
    const clock = { now: () => now, thresholdMs: changes.clockThresholdMs };
    const known = await findRepository(unit, given.repository);
    const references = await lockReferences(unit, given, { repository: known, clock });
    if (references.status !== "complete") return references;
    if (known !== undefined && (await isTooDeep(unit, given, known))) return { status: "too-deep" };

    const repository = known ?? (await openRepository(unit, given.repository, now));
    const existing = await keepManifest(unit, { repository, digest: given.digest }, now);
    const manifest = existing ?? (await insertManifest(unit, { given, repository }, now));
    const moved: string[] = [];
    for (const tag of given.tags) {
      const refuse = () => refuseToMove(changes.immutable, { ...given, tag });
      if (await pointTag(unit, { repository, tag, manifest, refuse }, now)) moved.push(tag);
    }
    if (existing !== undefined && moved.length === 0) return { status: "unchanged" };
    await announce(changes, unit, { given, moved, caller });
    return { status: "recorded" };
  });
}

async function findManifest(
  { read }: Pick<Unit, "read">,
  repository: number,
  digest: Digest,
): Promise<number | undefined> {
  const [row] = await read(FIND, [repository, digest]);
  return row && numberOf(row, "id");
}

/**
 * Locks and touches an existing manifest. A concurrent deletion either precedes, and it is absent,
 * or follows and deletes the new tags too.
 */
async function keepManifest(
  unit: Unit,
  { repository, digest }: { readonly repository: number; readonly digest: Digest },
  now: Date,
): Promise<number | undefined> {
  const id = await findManifest(unit, repository, digest);
  if (id === undefined) return undefined;
  return (await touchManifest(unit, id, now)) > 0 ? id : undefined;
}

async function insertManifest(
  unit: Unit,
  { given, repository }: { readonly given: NewManifest; readonly repository: number },
  now: Date,
): Promise<number> {
  const { digest, mediaType, bytes, subject, artifactType, annotations, edges } = given;
  await unit.run(INSERT, [
    repository,
    digest,
    storableText(mediaType),
    bytes.byteLength,
    bytes,
    subject,
    artifactType === undefined ? undefined : storableText(artifactType),
    annotations,
    now,
    now,
  ]);
  const manifest = await findManifest(unit, repository, digest);
  if (manifest === undefined) throw new Error(`the manifest ${digest} has no row`);
  for (const some of batches(edges, EDGES_AT_ONCE)) {
    const rows = some.map(() => "(?, ?, ?, ?, ?)").join(", ");
    const text = `insert into oci_manifest_edges (manifest_id, kind, child, repository_id, size)
      values ${rows}`;
    const values = some.flatMap(({ kind, digest: child, size }) => {
      return [manifest, kind, child, repository, size];
    });
    await unit.run(overList("oci-edges-insert", some.length, text), values);
  }
  return manifest;
}

/**
 * True when the tag is new or pointed elsewhere. Losing a tag counts as a use, so the former
 * manifest's minimum age starts now.
 */
async function pointTag(
  unit: Unit,
  wanted: {
    readonly repository: number;
    readonly tag: string;
    readonly manifest: number;
    /** Throws when the tag must not move. */
    readonly refuse: () => void;
  },
  now: Date,
): Promise<boolean> {
  const { read, run } = unit;
  const { repository, tag, manifest } = wanted;
  const insert = () => run(INSERT_TAG, [repository, tag, manifest, subjectOfTag(tag), now]);
  const [known] = await read(FIND_TAG, [repository, tag]);
  if (!known) {
    await insert();
    return true;
  }
  const before = numberOf(known, "manifest_id");
  if (before === manifest) return false;
  wanted.refuse();
  await touchManifest(unit, before, now);
  if ((await run(MOVE_TAG, [manifest, now, repository, tag])) === 0) await insert();
  return true;
}

async function announce(
  changes: Changes,
  unit: Unit,
  what: { readonly given: NewManifest; readonly moved: readonly string[]; readonly caller: Caller },
): Promise<void> {
  const { given, moved, caller } = what;
  const { repository, digest, mediaType } = given;
  const subjects =
    moved.length > 0
      ? moved.map((tag) => `oci/${repository}:${tag}`)
      : [`oci/${repository}@${digest}`];
  const detail = { digest, mediaType: storableText(mediaType), size: given.bytes.byteLength };
  for (const subject of subjects) {
    await changes.event(unit, { type: "package.published", subject, caller, detail });
  }
}

function deleteTag(
  changes: Ruled,
  { repository, tag }: { readonly repository: RepositoryName; readonly tag: string },
  caller: Caller,
): ReturnType<ManifestCatalog["deleteTag"]> {
  return changes.transaction(async (unit) => {
    const id = await findRepository(unit, repository);
    if (id === undefined) return "absent";
    const [known] = await unit.read(FIND_TAG, [id, tag]);
    if (!known) return "absent";
    const rule = changes.immutable(repository, tag);
    if (rule !== undefined) return { status: "immutable", tag, rule };
    if ((await unit.queries.run(DELETE_TAG, { repository: id, tag })) === 0) return "absent";
    await touchManifest(unit, numberOf(known, "manifest_id"), changes.now());
    const subject = `oci/${repository}:${tag}`;
    await changes.event(unit, { type: "package.deleted", subject, caller });
    return "deleted";
  });
}

function deleteManifest(
  changes: Ruled,
  { repository, digest }: { readonly repository: RepositoryName; readonly digest: Digest },
  caller: Caller,
): ReturnType<ManifestCatalog["deleteManifest"]> {
  return changes.transaction(async (unit) => {
    const id = await findRepository(unit, repository);
    const manifest = id === undefined ? undefined : await findManifest(unit, id, digest);
    if (id === undefined || manifest === undefined) return "absent";
    // First, because it waits for a push that is about to count on this manifest.
    await touchManifest(unit, manifest, changes.now());
    await lockIndexesAbove(unit, manifest);
    if (await isHeldFromAbove(unit, manifest, changes.now())) return "held";
    const { immutable } = changes;
    if (immutable !== NO_IMMUTABLE_TAGS) {
      const kept = await immutableTagAbove(unit, immutable, { manifest, repository });
      if (kept) return kept;
    }
    await unit.queries.run(DELETE_TAGS, { manifest });
    // A deleted child makes an index sparse, so the child may then be absent.
    await unit.queries.run(ALLOW_ABSENT, { repository: id, child: digest });
    await unit.queries.run(DELETE_EDGES, { manifest });
    if ((await unit.queries.run(DELETE, { manifest })) === 0) return "absent";
    const subject = `oci/${repository}@${digest}`;
    await changes.event(unit, { type: "package.deleted", subject, caller });
    return "deleted";
  });
}
