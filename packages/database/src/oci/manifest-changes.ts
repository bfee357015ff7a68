import type {
  Caller,
  Digest,
  ManifestCatalog,
  NewManifest,
  RepositoryName,
} from "@sealhouse/oci-distribution";
import { OciManifest, OciManifestEdge, OciTag } from "../entities/oci.ts";
import { bufferOf, storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { isTooDeep, lockReferences } from "./manifest-references.ts";
import { findRepository, openRepository } from "./oci-rows.ts";

export type ManifestChanges = Pick<ManifestCatalog, "record" | "deleteTag" | "deleteManifest">;

export function createManifestChanges(changes: Changes): ManifestChanges {
  return {
    record: (manifest, caller) => record(changes, manifest, caller),
    deleteTag: (repository, tag, caller) => deleteTag(changes, { repository, tag }, caller),
    deleteManifest: (repository, digest, caller) =>
      deleteManifest(changes, { repository, digest }, caller),
  };
}

type Recorded = Awaited<ReturnType<ManifestCatalog["record"]>>;

function record(changes: Changes, given: NewManifest, caller: Caller): Promise<Recorded> {
  return changes.transaction(async (unit) => {
    const now = changes.now();
    const known = await findRepository(unit, given.repository);
    const references = await lockReferences(unit, given, { repository: known, now });
    if (references.status !== "complete") return references;
    if (known !== undefined && (await isTooDeep(unit, given, known))) return { status: "too-deep" };

    const repository = known ?? (await openRepository(unit, given.repository, now));
    const existing = await keepManifest(unit, { repository, digest: given.digest }, now);
    const manifest = existing ?? (await insertManifest(unit, { given, repository }, now));
    const moved: string[] = [];
    for (const tag of given.tags) {
      if (await pointTag(unit, { repository, tag, manifest }, now)) moved.push(tag);
    }
    if (existing !== undefined && moved.length === 0) return { status: "unchanged" };
    await announce(changes, unit, { given, moved, caller });
    return { status: "recorded" };
  });
}

async function findManifest({ catalog }: Unit, repository: number, digest: Digest) {
  const where = { repository, digest };
  const options = { fields: ["id"], disableIdentityMap: true } as const;
  return (await catalog.findOne(OciManifest, where, options))?.id;
}

/** The manifest when it is there, locked and touched: a deletion at the same time comes before this
 * (and it is gone) or after (and takes the new tags with it). */
async function keepManifest(
  unit: Unit,
  { repository, digest }: { readonly repository: number; readonly digest: Digest },
  now: Date,
): Promise<number | undefined> {
  const id = await findManifest(unit, repository, digest);
  if (id === undefined) return undefined;
  const kept = await unit.catalog.nativeUpdate(OciManifest, { id }, { touchedAt: now });
  return kept > 0 ? id : undefined;
}

async function insertManifest(
  { catalog }: Unit,
  { given, repository }: { readonly given: NewManifest; readonly repository: number },
  now: Date,
): Promise<number> {
  const { digest, mediaType, bytes, subject, artifactType, annotations, edges } = given;
  const manifest = await catalog.insert(OciManifest, {
    repository,
    digest,
    mediaType: storableText(mediaType),
    size: bytes.byteLength,
    bytes: bufferOf(bytes),
    ...(subject !== undefined && { subject }),
    ...(artifactType !== undefined && { artifactType: storableText(artifactType) }),
    ...(annotations !== undefined && { annotations }),
    pushedAt: now,
    touchedAt: now,
  });
  const rows = edges.map(({ digest: child, kind, size }) => {
    return { manifest, repository, child, kind, size };
  });
  if (rows.length > 0) await catalog.insertMany(OciManifestEdge, rows);
  return manifest;
}

/** True when the tag was not there or pointed elsewhere. Losing a tag counts as being used: what
 * nothing points to any more lives on for its time from now. */
async function pointTag(
  { catalog }: Unit,
  wanted: { readonly repository: number; readonly tag: string; readonly manifest: number },
  now: Date,
): Promise<boolean> {
  const { repository, tag, manifest } = wanted;
  const known = await catalog.findOne(
    OciTag,
    { repository, tag },
    { fields: ["manifest"], disableIdentityMap: true },
  );
  if (!known) {
    await catalog.insert(OciTag, { repository, tag, manifest, updatedAt: now });
    return true;
  }
  if (known.manifest === manifest) return false;
  await catalog.nativeUpdate(OciManifest, { id: known.manifest }, { touchedAt: now });
  const moved = await catalog.nativeUpdate(
    OciTag,
    { repository, tag },
    { manifest, updatedAt: now },
  );
  if (moved === 0) await catalog.insert(OciTag, { repository, tag, manifest, updatedAt: now });
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
  changes: Changes,
  { repository, tag }: { readonly repository: RepositoryName; readonly tag: string },
  caller: Caller,
): Promise<"deleted" | "absent"> {
  return changes.transaction(async (unit) => {
    const id = await findRepository(unit, repository);
    if (id === undefined) return "absent";
    const { catalog } = unit;
    const where = { repository: id, tag };
    const known = await catalog.findOne(OciTag, where, {
      fields: ["manifest"],
      disableIdentityMap: true,
    });
    if (!known || (await catalog.nativeDelete(OciTag, where)) === 0) return "absent";
    const touchedAt = changes.now();
    await catalog.nativeUpdate(OciManifest, { id: known.manifest }, { touchedAt });
    const subject = `oci/${repository}:${tag}`;
    await changes.event(unit, { type: "package.deleted", subject, caller });
    return "deleted";
  });
}

function deleteManifest(
  changes: Changes,
  { repository, digest }: { readonly repository: RepositoryName; readonly digest: Digest },
  caller: Caller,
): Promise<"deleted" | "absent"> {
  return changes.transaction(async (unit) => {
    const id = await findRepository(unit, repository);
    const manifest = id === undefined ? undefined : await findManifest(unit, id, digest);
    if (manifest === undefined) return "absent";
    const { catalog } = unit;
    // First, because it waits for a push that is about to count on this manifest.
    await catalog.nativeUpdate(OciManifest, { id: manifest }, { touchedAt: changes.now() });
    await catalog.nativeDelete(OciTag, { manifest });
    await catalog.nativeDelete(OciManifestEdge, { manifest });
    if ((await catalog.nativeDelete(OciManifest, { id: manifest })) === 0) return "absent";
    const subject = `oci/${repository}@${digest}`;
    await changes.event(unit, { type: "package.deleted", subject, caller });
    return "deleted";
  });
}
