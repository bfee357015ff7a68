import type { Caller } from "@sealhouse/request-types";
import type {
  BatchPublished,
  NewNpmVersion,
  NpmRecorder,
  Published,
  TagTarget,
} from "@sealhouse/npm-protocol";
import { digestOfSha256 } from "../blobs/digest.ts";
import { nameBlob } from "../blobs/name-blob.ts";
import { staleDocuments } from "../blobs/stale-documents.ts";
import type { PortContext } from "../port-context.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { dropStaged, lockStaged, claimStaged } from "../staging/staged-changes.ts";
import type { LeavingStaged } from "../staging/staged-changes.ts";
import { ownNewName, refuseTakenName } from "../ownership/first-owner.ts";
import { isListedPublisher } from "../ownership/listed-publisher.ts";
import { claimOwn } from "../upstream/name-origins.ts";
import { insertAttestations } from "./insert-attestations.ts";
import { noteLatest } from "./note-latest.ts";
import {
  dropTag,
  findPackage,
  findVersion,
  findReservation,
  hasRoomForTags,
  hasTag,
  insertPackage,
  insertVersion,
  pointTag,
  publisherOf,
  repeated,
  touchPackage,
} from "./npm-rows.ts";

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
  const taken = await findVersion(unit, newVersion.name, newVersion.version);
  if (taken) return repeated(taken, newVersion, caller);

  const reservation = await findReservation(unit, newVersion, caller);
  if (reservation) return reservation;

  await changes.stale(unit, `npm/${newVersion.name}`);
  // Repeated after the lock, because an unpublish may have preceded.
  const reservationNow = await findReservation(unit, newVersion, caller);
  if (reservationNow) return reservationNow;
  const now = changes.now();
  const source = await otherOwner(unit, newVersion, now);
  if (source !== undefined) return { status: "mirrored", source };
  const knownId = await findPackage(unit, newVersion.name);
  const named = { protocol: "npm", name: newVersion.name, caller } as const;
  if (knownId !== undefined) await refuseTakenName(unit, named);
  if (!(await mayHaveTags(unit, knownId, newVersion))) return { status: "tags-full" };
  const packageId = knownId ?? (await createPackage(changes, unit, { newVersion, named }));
  const { sha256, size } = newVersion.blob;
  const newBlob = { ...newVersion.blob, protocol: "npm", digest: digestOfSha256(sha256) } as const;
  const blob = await nameBlob(unit, newBlob, now);
  if (blob.isRestored) await staleDocuments(changes, unit, { protocol: "npm", id: blob.id });
  const place = { packageId, blobId: blob.id, publishedBy: publisherOf(caller) };
  const versionId = await insertVersion(unit, newVersion, place);
  await insertAttestations(unit, versionId, { ...newVersion, at: now });
  const tags = await pointTags(unit, newVersion, { packageId, versionId });
  const readmeOf = tags.includes("latest") ? { readmeOf: newVersion } : {};
  await touchPackage(unit, packageId, { now, ...readmeOf });
  if (tags.includes("latest")) await noteLatest(unit, packageId);
  const subject = `npm/${newVersion.name}@${newVersion.version}`;
  const approved = staged && { stageId: staged.id, stagedBy: staged.actor };
  const { integrity } = newVersion;
  const detail = { size, sha256, integrity, tags, ...approved };
  await changes.event(unit, { type: "package.published", subject, caller, detail });
  const { deprecated } = newVersion;
  if (deprecated !== undefined) {
    const message = storableText(deprecated);
    await changes.event(unit, { type: "package.deprecated", subject, caller, detail: { message } });
  }
  return { status: "published", isDuplicate: blob.isDuplicate };
}

/** The first publisher owns the new package. */
async function createPackage(
  changes: Changes,
  unit: Unit,
  {
    newVersion,
    named,
  }: { readonly newVersion: NewNpmVersion; readonly named: Parameters<typeof ownNewName>[2] },
): Promise<number> {
  const owners = await ownNewName(changes, unit, named);
  const publishers = isListedPublisher(named.caller) ? [publisherOf(named.caller)] : [];
  return insertPackage(unit, newVersion, owners ?? publishers);
}

async function mayHaveTags(
  unit: Unit,
  packageId: number | undefined,
  { tags, recordedAt }: NewNpmVersion,
): Promise<boolean> {
  // A publish has few tags, which a new package has room for.
  if (packageId === undefined || recordedAt !== undefined) return true;
  return hasRoomForTags(unit, packageId, tags);
}

/** The source of the name, when the version does not come from it. */
async function otherOwner(
  unit: Unit,
  { name, mirroredFrom }: NewNpmVersion,
  now: Date,
): Promise<string | undefined> {
  if (mirroredFrom !== undefined) return undefined;
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

/** The wanted tags, and `latest` where the package has none. */
async function pointTags(
  unit: Unit,
  newVersion: NewNpmVersion,
  ids: { readonly packageId: number; readonly versionId: number },
): Promise<readonly string[]> {
  const hasLatest = await hasTag(unit, ids.packageId, "latest");
  const tags = [...new Set(hasLatest ? newVersion.tags : [...newVersion.tags, "latest"])];
  for (const tag of tags) await pointTag(unit, { ...ids, tag });
  return tags;
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
