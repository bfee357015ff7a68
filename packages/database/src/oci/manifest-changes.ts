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
import type { PortContext } from "../port-context.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { refuseToMove, unlessImmutable } from "./immutable-tags.ts";
import { immutableTagAbove, isHeldFromAbove, lockIndexesAbove } from "./indexes-above.ts";
import { isTooDeep, lockReferences } from "./manifest-references.ts";
import { clockOf } from "./clock.ts";
import { ociParam } from "./oci-param.ts";
import { findRepository, touchManifest } from "./oci-rows.ts";
import { requireRoom, unlessFull } from "./tag-limit.ts";
import { repositoryForManifest, repositoryForWrite } from "./open-repository.ts";
import type { Writer } from "./open-repository.ts";

const MANIFEST = { repository: param.whole, digest: ociParam.digest };
const TAG = { repository: param.whole, tag: ociParam.tag };
const TAG_TARGET = { ...TAG, manifest: param.whole, now: param.time };

const FIND = defineStatement("oci-manifest-id", MANIFEST, (db, { repository, digest }) =>
  db
    .selectFrom("oci_manifests")
    .where("repository_id", "=", repository)
    .where("digest", "=", digest)
    .select(["id", "deleted_at"]),
);
const SET_DELETED = defineStatement(
  "oci-manifest-set-deleted",
  { manifest: param.whole, deletedAt: param.optional(param.time) },
  (db, { manifest, deletedAt }) =>
    db.updateTable("oci_manifests").set({ deleted_at: deletedAt }).where("id", "=", manifest),
);
const INSERT = defineStatement(
  "oci-manifest-insert",
  {
    ...MANIFEST,
    mediaType: param.longText,
    size: param.whole,
    bytes: param.bytes,
    subject: param.optional(ociParam.digest),
    artifactType: param.optional(param.longText),
    annotations: param.optional(param.longText),
    now: param.time,
  },
  (db, { now, repository, ...row }) =>
    db
      .insertInto("oci_manifests")
      .values({ ...inColumns(row), repository_id: repository, pushed_at: now, touched_at: now }),
);
const INSERT_EDGES = defineStatement(
  "oci-edges-insert",
  { manifest: param.whole, repository: param.whole, edges: param.records },
  (db, { manifest, repository, edges }, own) =>
    db
      .insertInto("oci_manifest_edges")
      .columns(["manifest_id", "kind", "child", "repository_id", "size"])
      .expression(
        db
          .selectFrom(own.records(edges, { kind: "text", child: "text", size: "whole" }).as("edge"))
          .select([
            sql<number>`${manifest}`.as("manifest_id"),
            "edge.kind",
            "edge.child",
            sql<number>`${repository}`.as("repository_id"),
            "edge.size",
          ]),
      ),
);
const FIND_TAG = defineStatement("oci-tag-manifest", TAG, (db, { repository, tag }) =>
  db
    .selectFrom("oci_tags")
    .where("repository_id", "=", repository)
    .where("tag", "=", tag)
    .select("manifest_id"),
);
const INSERT_TAG = defineStatement(
  "oci-tag-insert",
  { ...TAG_TARGET, subject: param.optional(ociParam.digest) },
  (db, parameters) =>
    db.insertInto("oci_tags").values({
      repository_id: parameters.repository,
      tag: parameters.tag,
      manifest_id: parameters.manifest,
      subject: parameters.subject,
      updated_at: parameters.now,
    }),
);
const MOVE_TAG = defineStatement("oci-tag-move", TAG_TARGET, (db, parameters) =>
  db
    .updateTable("oci_tags")
    .set({ manifest_id: parameters.manifest, updated_at: parameters.now })
    .where("repository_id", "=", parameters.repository)
    .where("tag", "=", parameters.tag),
);
const DELETE_TAG = defineStatement("oci-tag-remove", TAG, (db, { repository, tag }) =>
  db.deleteFrom("oci_tags").where("repository_id", "=", repository).where("tag", "=", tag),
);
const DELETE_TAGS = defineStatement(
  "oci-tags-of-manifest-remove",
  { manifest: param.whole },
  (db, { manifest }) => db.deleteFrom("oci_tags").where("manifest_id", "=", manifest),
);
const ALLOW_ABSENT = defineStatement(
  "oci-edges-allow-absent",
  { repository: param.whole, child: ociParam.digest },
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
type Ruled = Changes & { readonly immutable: ImmutableTags; readonly writer: Writer };

/** Tags of a mirrored repository follow its source, whatever the rules say. */
export function createManifestChanges(
  { changes: portChanges, options }: Pick<PortContext, "changes" | "options">,
  writer: Writer = "push",
): ManifestChanges {
  const { immutableTags = NO_IMMUTABLE_TAGS } = options;
  const immutable = writer === "push" ? immutableTags : NO_IMMUTABLE_TAGS;
  const changes: Ruled = { ...portChanges, immutable, writer };
  return {
    record: (manifest, caller) => unlessFull(unlessImmutable(record(changes, manifest, caller))),
    deleteTag: (repository, tag, caller) => deleteTag(changes, { repository, tag }, caller),
    deleteManifest: (repository, digest, caller) =>
      deleteManifest(changes, { repository, digest }, caller),
  };
}

type Recorded = Awaited<ReturnType<ManifestCatalog["record"]>>;

function record(changes: Ruled, newManifest: NewManifest, caller: Caller): Promise<Recorded> {
  return changes.transaction(async (unit) => {
    // A push of an existing manifest has no event.
    unit.askedBy(caller);
    const now = changes.now();
    const clock = { ...clockOf(changes), now: () => now };
    const written = { name: newManifest.repository, writer: changes.writer, caller };
    const known = await repositoryForWrite(unit, written);
    const knownId = known?.id;
    const references = await lockReferences(unit, newManifest, { repository: knownId, clock });
    if (references.status !== "complete") return references;
    if (knownId !== undefined && (await isTooDeep(unit, newManifest, knownId)))
      return { status: "too-deep" };

    const repository = known?.isPublished
      ? known.id
      : await repositoryForManifest(changes, unit, written);
    const kept = await keepManifest(unit, { repository, digest: newManifest.digest }, now);
    const existing = kept?.id;
    const manifest = existing ?? (await insertManifest(unit, { newManifest, repository }, now));
    const moved: string[] = [];
    for (const tag of newManifest.tags) {
      const refuse = () => refuseToMove(changes.immutable, { ...newManifest, tag });
      const { tagsMax } = newManifest;
      const move = { repository, tag, manifest, refuse, tagsMax };
      if (await pointTag(unit, move, now)) moved.push(tag);
    }
    if (kept && !kept.wasDeleted && moved.length === 0) return { status: "unchanged" };
    await announce(changes, unit, { newManifest, moved, caller });
    return { status: "recorded" };
  });
}

async function findManifest(
  { queries }: Pick<Unit, "queries">,
  repository: number,
  digest: Digest,
): Promise<RowOf<typeof FIND> | undefined> {
  return queries.one(FIND, { repository, digest });
}

/**
 * Locks and touches an existing manifest, and brings a deleted one back. A concurrent deletion
 * either precedes, and it is absent, or follows and deletes the new tags too.
 */
async function keepManifest(
  unit: Unit,
  { repository, digest }: { readonly repository: number; readonly digest: Digest },
  now: Date,
): Promise<{ readonly id: number; readonly wasDeleted: boolean } | undefined> {
  const row = await findManifest(unit, repository, digest);
  if (!row) return undefined;
  if ((await touchManifest(unit, row.id, now)) === 0) return undefined;
  // Read again, because a deletion may have preceded.
  const locked = await findManifest(unit, repository, digest);
  const wasDeleted = Boolean(locked?.deleted_at);
  if (wasDeleted) await unit.queries.run(SET_DELETED, { manifest: row.id, deletedAt: undefined });
  return { id: row.id, wasDeleted };
}

async function insertManifest(
  unit: Unit,
  { newManifest, repository }: { readonly newManifest: NewManifest; readonly repository: number },
  now: Date,
): Promise<number> {
  const { digest, mediaType, bytes, subject, artifactType, annotations, edges } = newManifest;
  await unit.queries.run(INSERT, {
    repository,
    digest,
    mediaType: storableText(mediaType),
    size: bytes.byteLength,
    bytes,
    subject,
    artifactType: artifactType && storableText(artifactType),
    annotations,
    now,
  });
  const manifest = (await findManifest(unit, repository, digest))?.id;
  if (manifest === undefined) throw new Error(`the manifest ${digest} has no row`);
  const rows = edges.map(({ kind, digest: child, size }) => ({ kind, child, size }));
  if (rows.length > 0) await unit.queries.run(INSERT_EDGES, { manifest, repository, edges: rows });
  return manifest;
}

/**
 * True when the tag is new or pointed elsewhere. Losing a tag counts as a use, so the former
 * manifest's minimum age starts now.
 */
async function pointTag(
  unit: Unit,
  tagMove: {
    readonly repository: number;
    readonly tag: string;
    readonly manifest: number;
    /** Throws when the tag must not move. */
    readonly refuse: () => void;
    readonly tagsMax: number | undefined;
  },
  now: Date,
): Promise<boolean> {
  const { queries } = unit;
  const { repository, tag, manifest } = tagMove;
  const target = { repository, tag, manifest, now };
  const insert = () => queries.run(INSERT_TAG, { ...target, subject: subjectOfTag(tag) });
  const row = await queries.one(FIND_TAG, { repository, tag });
  if (!row) {
    await requireRoom(unit, repository, tagMove.tagsMax);
    await insert();
    return true;
  }
  const before = row.manifest_id;
  if (before === manifest) return false;
  tagMove.refuse();
  await touchManifest(unit, before, now);
  if ((await queries.run(MOVE_TAG, target)) === 0) await insert();
  return true;
}

async function announce(
  changes: Ruled,
  unit: Unit,
  what: {
    readonly newManifest: NewManifest;
    readonly moved: readonly string[];
    readonly caller: Caller;
  },
): Promise<void> {
  const { newManifest, moved, caller } = what;
  const { repository, digest, mediaType } = newManifest;
  const subjects =
    moved.length > 0
      ? moved.map((tag) => `oci/${repository}:${tag}`)
      : [`oci/${repository}@${digest}`];
  const detail = {
    digest,
    mediaType: storableText(mediaType),
    size: newManifest.bytes.byteLength,
    ...(changes.writer === "mirror" && { origin: "mirrored" }),
  };
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
    const row = await unit.queries.one(FIND_TAG, { repository: id, tag });
    if (!row) return "absent";
    const rule = changes.immutable(repository, tag);
    if (rule !== undefined) return { status: "immutable", tag, rule };
    if ((await unit.queries.run(DELETE_TAG, { repository: id, tag })) === 0) return "absent";
    await touchManifest(unit, row.manifest_id, changes.now());
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
    const row = id === undefined ? undefined : await findManifest(unit, id, digest);
    if (id === undefined || !row || row.deleted_at) return "absent";
    const manifest = row.id;
    // First, because it waits for a push that is about to count on this manifest.
    await touchManifest(unit, manifest, changes.now());
    await lockIndexesAbove(unit, manifest);
    if (await isHeldFromAbove(unit, manifest, changes.now())) return "held";
    const { immutable } = changes;
    if (immutable !== NO_IMMUTABLE_TAGS) {
      const immutableTag = await immutableTagAbove(unit, immutable, { manifest, repository });
      if (immutableTag) return immutableTag;
    }
    await unit.queries.run(DELETE_TAGS, { manifest });
    // A deleted child makes an index sparse, so the child may then be absent.
    await unit.queries.run(ALLOW_ABSENT, { repository: id, child: digest });
    if ((await remove(changes, unit, manifest)) === 0) return "absent";
    const subject = `oci/${repository}@${digest}`;
    await changes.event(unit, { type: "package.deleted", subject, caller });
    return "deleted";
  });
}

/** Removes a manifest, or leaves it to views as of a time until the collector removes it. */
async function remove(changes: Changes, { queries }: Unit, manifest: number): Promise<number> {
  if (changes.keepContentMs > 0) {
    return queries.run(SET_DELETED, { manifest, deletedAt: changes.now() });
  }
  await queries.run(DELETE_EDGES, { manifest });
  return queries.run(DELETE, { manifest });
}
