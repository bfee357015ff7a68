import type { Caller } from "@sealhouse/request-types";
import type {
  BatchPublished,
  NewNpmVersion,
  NpmRecorder,
  Published,
  TagTarget,
} from "@sealhouse/npm-protocol";
import { DIST_TAGS_MAX } from "@sealhouse/npm-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import { staleDocuments } from "../blobs/stale-documents.ts";
import type { PortContext } from "../port-context.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import { together } from "../transactions/together.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { dropStaged, lockStaged, claimStaged } from "../staging/staged-changes.ts";
import type { LeavingStaged } from "../staging/staged-changes.ts";
import { ownNewName, refuseTakenName } from "../ownership/first-owner.ts";
import { isListed, isListedPublisher } from "../ownership/listed-publisher.ts";
import { claimOwn, noteOwn } from "../upstream/name-origins.ts";
import { insertAttestations } from "./insert-attestations.ts";
import { noteFirst, noteLatest } from "./note-latest.ts";
import {
  addTag,
  dropTag,
  findPackage,
  findVersion,
  hasRoomForTags,
  hasTag,
  insertPackage,
  insertVersion,
  pointTag,
  publisherOf,
  releaseName,
  repeated,
  touchPackage,
} from "./npm-rows.ts";
import { findStanding } from "./standing.ts";
import type { Standing } from "./standing.ts";

export function createNpmRecorder({ changes }: Pick<PortContext, "changes">): NpmRecorder {
  return {
    publish: (version, caller) =>
      changes.transaction((unit) => publish(changes, unit, version, { caller })),
    publishAll: (versions, caller, callers) =>
      publishAll(changes, versions, (name) => callers.get(name) ?? caller),
    release: (stageId, version, caller) => release(changes, { stageId, version }, caller),
    setTag: (name, target, caller) => setTag(changes, { ...target, name }, caller),
    removeTag: (name, tag, caller) => removeTag(changes, { name, tag }, caller),
  };
}

type Publishing = {
  readonly caller: Caller;
  /** The staged version that this is the release of. */
  readonly staged?: LeavingStaged;
};

async function publish(
  changes: Changes,
  unit: Unit,
  newVersion: NewNpmVersion,
  { caller, staged }: Publishing,
): Promise<Published> {
  unit.askedBy(caller);
  const before = await findStanding(unit, newVersion, caller);
  const early = refusalOf(before, newVersion, caller);
  if (early) return early;

  const isFirst = await changes.stale(unit, `npm/${newVersion.name}`);
  // Repeated after the lock, because another change of this package may have preceded.
  const standing = isFirst ? before : await findStanding(unit, newVersion, caller);
  const refusal = refusalOf(standing, newVersion, caller);
  if (refusal) return refusal;
  const now = changes.now();
  const source = await otherOwner(unit, newVersion, { standing, now });
  if (source !== undefined) return { status: "mirrored", source };
  const { name, version, mirroredFrom } = newVersion;
  const named = { protocol: "npm", name, caller } as const;
  if (standing.packageId !== undefined) await refuseTakenName(unit, named);
  if (!(await mayHaveTags(unit, standing, newVersion))) return { status: "tags-full" };
  const { sha256, size } = newVersion.blob;
  const newBlob = { ...newVersion.blob, protocol: "npm", digest: digestOfSha256(sha256) } as const;
  const isUnknown = standing.origin === undefined && mirroredFrom === undefined;
  const [packageId, blob] = await together([
    standing.packageId ?? writePackage(changes, unit, { newVersion, standing, named }),
    nameBlob(unit, newBlob, now),
    isUnknown ? noteOwn(unit, { protocol: "npm", name, now }) : undefined,
  ]);
  if (blob.isRestored) await staleDocuments(changes, unit, { protocol: "npm", id: blob.id });
  const place = { packageId, blobId: blob.id, publishedBy: publisherOf(caller) };
  const versionId = await insertVersion(unit, newVersion, place);
  const tags = [...new Set([...newVersion.tags, ...(standing.hasLatest ? [] : ["latest"])])];
  const subject = `npm/${name}@${version}`;
  const approved = staged && { stageId: staged.id, stagedBy: staged.actor };
  const { integrity } = newVersion;
  const detail = { size, sha256, integrity, tags, ...approved };
  await together([
    insertAttestations(unit, versionId, { ...newVersion, at: now }),
    standing.packageId === undefined
      ? together(tags.map((tag) => addTag(unit, { packageId, versionId, tag })))
      : moveTags(unit, { packageId, versionId, newVersion, tags, now }),
    changes.event(unit, { type: "package.published", subject, caller, detail }),
  ]);
  const { deprecated } = newVersion;
  if (deprecated !== undefined) {
    const message = storableText(deprecated);
    await changes.event(unit, { type: "package.deprecated", subject, caller, detail: { message } });
  }
  return { status: "published", isDuplicate: blob.isDuplicate };
}

function refusalOf(
  { version, reservation }: Standing,
  newVersion: NewNpmVersion,
  caller: Caller,
): Published | undefined {
  return version ? repeated(version, newVersion, caller) : reservation;
}

type FirstPublish = {
  readonly newVersion: NewNpmVersion;
  readonly standing: Standing;
  readonly named: Parameters<typeof ownNewName>[2];
};

/** Writes a new package, whose publisher owns it. Returns its id. */
async function writePackage(
  changes: Changes,
  unit: Unit,
  { newVersion, standing, named }: FirstPublish,
): Promise<number> {
  const { name, deprecated } = newVersion;
  const owners = await ownNewName(changes, unit, named);
  const { caller } = named;
  const handles = owners ?? (isListedPublisher(caller) ? [publisherOf(caller)] : []);
  if (standing.isRemoved) await releaseName(unit, name);
  const packageId = await insertPackage(unit, newVersion, { handles, now: changes.now() });
  const maintainers = handles.filter(isListed);
  const isDeprecated = deprecated !== undefined;
  await noteFirst(unit, packageId, { ...newVersion, isDeprecated, maintainers });
  return packageId;
}

/** Points the tags of a further version to it. */
async function moveTags(
  unit: Unit,
  moved: {
    readonly packageId: number;
    readonly versionId: number;
    readonly newVersion: NewNpmVersion;
    readonly tags: readonly string[];
    readonly now: Date;
  },
): Promise<void> {
  const { packageId, versionId, newVersion, tags, now } = moved;
  const isLatest = tags.includes("latest");
  await together([
    ...tags.map((tag) => pointTag(unit, { packageId, versionId, tag })),
    touchPackage(unit, packageId, { now, ...(isLatest && { readmeOf: newVersion }) }),
  ]);
  if (isLatest) await noteLatest(unit, packageId);
}

async function mayHaveTags(
  unit: Unit,
  { packageId, tags: present }: Standing,
  { tags, recordedAt }: NewNpmVersion,
): Promise<boolean> {
  // A publish has few tags, which a new package has room for.
  if (packageId === undefined || recordedAt !== undefined) return true;
  return present + tags.length <= DIST_TAGS_MAX || hasRoomForTags(unit, packageId, tags);
}

/** The source of the name, when the version does not come from it. */
async function otherOwner(
  unit: Unit,
  { name, mirroredFrom }: NewNpmVersion,
  { standing, now }: { readonly standing: Standing; readonly now: Date },
): Promise<string | undefined> {
  if (mirroredFrom !== undefined) return undefined;
  if (standing.origin !== "mirrored") return undefined;
  return (await claimOwn(unit, { protocol: "npm", name, now }))?.mirroredFrom;
}

/** Rolls a batch back. */
class RefusedInBatch extends Error {
  override readonly name = "RefusedInBatch";
  readonly refusal: Extract<BatchPublished, { readonly status: "refused" }>;

  constructor(refusal: RefusedInBatch["refusal"]) {
    super(`version ${refusal.index} is refused`);
    this.refusal = refusal;
  }
}

async function publishAll(
  changes: Changes,
  versions: readonly NewNpmVersion[],
  callerFor: (name: string) => Caller,
): Promise<BatchPublished> {
  // By name, so that two batches that meet do not wait for each other.
  const inOrder = [...versions.entries()].toSorted(([, a], [, b]) =>
    a.name === b.name ? 0 : a.name < b.name ? -1 : 1,
  );
  try {
    return await changes.transaction(async (unit) => {
      const outcomes = new Map<number, PublishedInBatch>();
      for (const [index, version] of inOrder) {
        const outcome = await publish(changes, unit, version, { caller: callerFor(version.name) });
        if (outcome.status !== "published" && outcome.status !== "replayed") {
          throw new RefusedInBatch({ status: "refused", index, outcome });
        }
        outcomes.set(index, outcome);
      }
      const sorted = [...outcomes].toSorted(([a], [b]) => a - b);
      return { status: "published", outcomes: sorted.map(([, outcome]) => outcome) };
    });
  } catch (error) {
    if (error instanceof RefusedInBatch) return error.refusal;
    throw error;
  }
}

type PublishedInBatch = Extract<Published, { readonly status: "published" | "replayed" }>;

function release(
  changes: Changes,
  { stageId: id, version }: { readonly stageId: string; readonly version: NewNpmVersion },
  caller: Caller,
): ReturnType<NpmRecorder["release"]> {
  const name = { protocol: "npm", name: version.name } as const;
  return changes.transaction(async (unit) => {
    await lockStaged(changes, unit, name);
    const staged = await claimStaged(changes, unit, { ...name, id });
    if (staged?.version !== version.version) return { status: "absent" };
    const outcome = await publish(changes, unit, version, { caller, staged });
    if (outcome.status === "replayed") return { status: "exists" };
    if (outcome.status === "published") await dropStaged(unit, id);
    return outcome;
  });
}

function setTag(
  changes: Changes,
  { name, tag, version, isImported }: TagTarget & { readonly name: string },
  caller: Caller,
): ReturnType<NpmRecorder["setTag"]> {
  return changes.transaction(async (unit) => {
    const target = await findVersion(unit, name, version);
    if (!target) return "absent";
    await changes.stale(unit, `npm/${name}`);
    const { packageId } = target;
    const isOpen = isImported === true || (await hasRoomForTags(unit, packageId, [tag]));
    if (!isOpen) return "tags-full";
    await pointTag(unit, { packageId, tag, versionId: target.id });
    if (tag === "latest") await noteLatest(unit, packageId);
    await touchPackage(unit, packageId, { now: changes.now() });
    const detail = { distTag: tag, version };
    await changes.event(unit, { ...tagEvent(name), caller, detail });
    return "set";
  });
}

function removeTag(
  changes: Changes,
  { name, tag }: { readonly name: string; readonly tag: string },
  caller: Caller,
): Promise<"deleted" | "absent"> {
  return changes.transaction(async (unit) => {
    const packageId = await findPackage(unit, name);
    if (packageId === undefined || !(await hasTag(unit, packageId, tag))) return "absent";
    await changes.stale(unit, `npm/${name}`);
    // Another change may have deleted it while this one waited.
    if (!(await dropTag(unit, packageId, tag))) return "absent";
    if (tag === "latest") await noteLatest(unit, packageId);
    await touchPackage(unit, packageId, { now: changes.now() });
    const detail = { distTag: tag, removed: true };
    await changes.event(unit, { ...tagEvent(name), caller, detail });
    return "deleted";
  });
}

/** Where a tag points is what people install, so the audit log knows of it. */
function tagEvent(name: string) {
  return { type: "package.tagged", subject: `npm/${name}` } as const;
}
