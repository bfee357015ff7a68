import type { Caller } from "@sealhouse/request-types";
import { randomUUID } from "node:crypto";
import type { NewNpmVersion } from "../npm-version.ts";
import type {
  NewStagedVersion,
  NpmStaging,
  StagedExpiry,
  StagedVersion,
  Staging,
  StagingTerms,
} from "../staging/ports.ts";
import { STAGED_MAX, STAGED_PER_PUBLISHER_MAX } from "../staging/ports.ts";
import type { MemoryShelf, Waiting } from "./memory-shelf.ts";
import { restoreTarball } from "./memory-register.ts";
import { blobWith, reservationIn } from "./memory-reservations.ts";

export function createMemoryStaging(shelf: MemoryShelf): NpmStaging & StagedExpiry {
  const { waiting, now } = shelf;
  return {
    stage: async (...args) => stage(shelf, ...args),
    async list(name) {
      return valid(shelf)
        .filter(([, staged]) => name === undefined || staged.version.name === name)
        .map(([id, staged]) => stagedVersion(id, staged))
        .toReversed();
    },
    async find(id) {
      const staged = validOne(shelf, id);
      return staged && { ...stagedVersion(id, staged), blob: staged.version.blob };
    },
    details: async (id) => validOne(shelf, id)?.version,
    async reject(id) {
      if (!validOne(shelf, id)) return "absent";
      waiting.delete(id);
      return "rejected";
    },
    async expire(atMost) {
      const expired = [...waiting].filter(([, { expiresAt }]) => expiresAt <= now());
      for (const [id] of expired.slice(0, atMost)) waiting.delete(id);
      return Math.min(expired.length, atMost);
    },
  };
}

/** The staged version of a release; undefined when it no longer waits. */
export function validOne({ waiting, now }: MemoryShelf, id: string): Waiting | undefined {
  const foundWaiting = waiting.get(id);
  return foundWaiting && foundWaiting.expiresAt > now() ? foundWaiting : undefined;
}

function valid({ waiting, now }: MemoryShelf): readonly (readonly [string, Waiting])[] {
  return [...waiting].filter(([, { expiresAt }]) => expiresAt > now());
}

function stage(
  shelf: MemoryShelf,
  version: NewStagedVersion,
  { stagedAt, expiresAt, ...limits }: StagingTerms,
  caller: Caller,
): Staging {
  const { name, version: number } = version;
  const asPublished: NewNpmVersion = { ...version, publishedAt: stagedAt };
  if (shelf.packages.get(name)?.versions.has(number)) return { status: "exists" };
  const reservation = reservationIn(shelf, asPublished, caller);
  if (reservation) return reservation;
  for (const [id, stagedEntry] of shelf.waiting) {
    if (stagedEntry.version.name === name && !validOne(shelf, id)) shelf.waiting.delete(id);
  }
  const ofPackage = valid(shelf).filter(([, waiting]) => waiting.version.name === name);
  const [same] = ofPackage.filter(([, waiting]) => waiting.version.version === number);
  if (same) return repeated(same, version, caller);
  const { perPackage, perPublisher = STAGED_PER_PUBLISHER_MAX } = limits;
  if (ofPackage.length >= perPackage) return { status: "full" };
  const own = valid(shelf).filter(([, { actor }]) => actor === caller.actor);
  if (own.length >= perPublisher) return { status: "publisher-full" };
  if (shelf.waiting.size >= STAGED_MAX) return { status: "crowded" };
  restoreTarball(shelf, version.blob);
  const twin = blobWith(shelf, version.blob.sha256);
  const id = randomUUID();
  const keptVersion = { ...version, blob: twin ?? version.blob };
  shelf.waiting.set(id, {
    version: keptVersion,
    actor: caller.actor,
    createdAt: stagedAt,
    expiresAt,
  });
  return { status: "staged", id, isDuplicate: twin !== undefined };
}

function repeated(
  [id, { version, actor }]: readonly [string, Waiting],
  submission: NewStagedVersion,
  caller: Caller,
): Staging {
  const isSame =
    actor === caller.actor &&
    version.integrity === submission.integrity &&
    version.tags.join() === submission.tags.join();
  return isSame ? { status: "replayed", id } : { status: "waiting", id, actor };
}

function stagedVersion(id: string, waiting: Waiting): StagedVersion {
  const { version, actor, createdAt, expiresAt } = waiting;
  const { name, version: number, tags, integrity, shasum } = version;
  return { id, name, version: number, tags, integrity, shasum, actor, createdAt, expiresAt };
}
