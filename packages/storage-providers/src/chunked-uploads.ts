import { setTimeout as delay } from "node:timers/promises";
import type { ChunkedUploads, StageOptions, StagedBlob } from "./staged-blob.ts";
import type { Hashing, HashName } from "./digests.ts";
import { hashed, startHashing } from "./digests.ts";
import type { ObjectKey } from "./object-store.ts";
import { parseObjectKey } from "./object-store.ts";
import { keyOfStaged } from "./blob-location.ts";
import type { BlobLocation } from "./blob-location.ts";
import { readStaged, stageBody, stagedBlob, writeStaged } from "./staging.ts";
import { StorageError, withStagedErrors } from "./storage-error.ts";

/** Waits before each list of the parts of other instances: some stores list new objects late. */
const LATE_LIST_WAITS_MS = [0, 100, 400, 1_600];

type Part = { readonly key: ObjectKey; readonly offset: number; readonly size: number };

/**
 * The parts that this process wrote, with their hash state. Keys identify them, so parts of other
 * writers are never mistaken for them.
 */
type Seen = { readonly parts: readonly Part[]; readonly offset: number; readonly hashing: Hashing };

/**
 * Creates uploads whose parts are objects `{prefix}/uploads/<id>/<offset, 16 digits>.<random>`. The
 * random part prevents concurrent writers from overwriting each other. `assemble` selects parts
 * that form one sequence.
 */
export function createChunkedUploads(place: BlobLocation, cachedMax: number): ChunkedUploads {
  const remembered = new Map<string, Seen>();

  return {
    async append(id, offset, body, { hashes, ...limits } = {}) {
      const before = offset === 0 ? undefined : remembered.get(id);
      const hashing = offset === 0 ? startHashing(hashes) : standingAt(before, offset);
      const key = partKey(place, id, offset);
      const options = { ...limits, existing: "replace" } as const;
      const outcome = await place.store.write(key, hashing ? hashed(body, hashing) : body, options);
      const size = outcome.status === "written" ? outcome.size : 0;
      if (size === 0) {
        await place.store.delete(key);
        return offset;
      }
      remembered.delete(id);
      if (hashing) {
        const parts = [...(before?.parts ?? []), { key, offset, size }];
        remember(remembered, cachedMax, id, { parts, offset: offset + size, hashing });
      }
      return offset + size;
    },

    async assemble(id, size, options = {}) {
      const seen = remembered.get(id);
      remembered.delete(id);
      const staged =
        seen?.offset === size && knows(seen.hashing, options.hashes)
          ? await stageSeen(place, seen)
          : await stageFound(place, id, size, options);
      await dropParts(place, id);
      return staged;
    },

    async drop(id) {
      remembered.delete(id);
      await dropParts(place, id);
    },
  };
}

/** Returns a copy, so that a failed part does not change the cached state. */
function standingAt(seen: Seen | undefined, offset: number): Hashing | undefined {
  return seen?.offset === offset ? seen.hashing.copy() : undefined;
}

function knows(hashing: Hashing, hashNames: readonly HashName[] = []): boolean {
  return hashNames.every((name) => hashing.names.has(name));
}

function remember(all: Map<string, Seen>, max: number, id: string, seen: Seen): void {
  const oldest = all.size >= max ? all.keys().next().value : undefined;
  if (oldest !== undefined) all.delete(oldest);
  all.set(id, seen);
}

/** Moves a single part; joins several. Neither reads the bytes again for hashing. */
async function stageSeen(place: BlobLocation, { parts, hashing }: Seen): Promise<StagedBlob> {
  const digests = hashing.digests();
  const [first, ...others] = parts;
  if (first && others.length === 0) {
    const key = keyOfStaged(place);
    await withStagedErrors(() => place.store.move(first.key, key, { transient: true }));
    return stagedBlob(place, { key, size: first.size, digests });
  }
  const written = await writeStaged(place, bytesOf(place, parts), {});
  return stagedBlob(place, { ...written, digests });
}

async function stageFound(
  place: BlobLocation,
  id: string,
  size: number,
  options: StageOptions,
): Promise<StagedBlob> {
  for (const waitMs of LATE_LIST_WAITS_MS) {
    await delay(waitMs);
    const parts = await listedParts(place, id, size);
    if (parts) return stageBody(place, bytesOf(place, parts), options);
  }
  throw new StorageError(
    "storage-staged-lost",
    `upload ${id} has no parts that make ${size} bytes`,
  );
}

async function listedParts(
  place: BlobLocation,
  id: string,
  size: number,
): Promise<readonly Part[] | undefined> {
  const parts: Part[] = [];
  for await (const info of place.store.list(folderOf(place, id))) {
    const offset = offsetOf(info.key);
    if (offset !== undefined) parts.push({ key: info.key, offset, size: info.size });
  }
  return chainOf(parts, size);
}

/**
 * Returns parts that form a sequence from 0 to `size` without gap or overlap. Ignores leftovers of
 * failed appends between them.
 */
export function chainOf(parts: readonly Part[], size: number): readonly Part[] | undefined {
  const following = new Map<number, Part>();
  for (const part of parts.toSorted((a, b) => b.offset - a.offset)) {
    const end = part.offset + part.size;
    if (end === size || following.has(end)) following.set(part.offset, part);
  }
  const chain: Part[] = [];
  for (let offset = 0; offset < size;) {
    const part = following.get(offset);
    if (!part) return undefined;
    chain.push(part);
    offset += part.size;
  }
  return chain;
}

async function* bytesOf(place: BlobLocation, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* readStaged(place, part.key);
}

async function dropParts(place: BlobLocation, id: string): Promise<void> {
  for await (const { key } of place.store.list(folderOf(place, id))) await place.store.delete(key);
}

const OFFSET_DIGITS = 16;

function folderOf(place: BlobLocation, id: string): string {
  return `${parseObjectKey(`${place.prefix}/uploads/${id}`)}/`;
}

function partKey(place: BlobLocation, id: string, offset: number): ObjectKey {
  const digits = String(offset).padStart(OFFSET_DIGITS, "0");
  return parseObjectKey(`${folderOf(place, id)}${digits}.${place.random()}`);
}

function offsetOf(key: ObjectKey): number | undefined {
  const digits = /\/(\d{16})\.[^/]+$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
