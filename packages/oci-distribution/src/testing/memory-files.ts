import { createHash } from "node:crypto";
import type { ByteRange } from "@sealhouse/http-responses";
import type { BlobFiles, StagedBlob } from "../ports.ts";

export type MemoryFiles = BlobFiles & {
  /** The delete of the collector; does nothing without such an object. */
  readonly delete: (key: string) => Promise<void>;
  /** Kept objects by key, named or not. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
  /** Ids of uploads that still have parts. */
  readonly pending: () => readonly string[];
};

/** Bytes in rows of the catalog, not in objects. */
export type RowBytes = {
  read(key: string): Promise<Uint8Array | undefined>;
  delete(key: string): Promise<void>;
};

/**
 * Blob bytes in maps. Kept bytes become a separate object, once, as in a real store; with `rows`,
 * the bytes go to the catalog instead.
 */
export function createMemoryFiles(rows?: RowBytes): MemoryFiles {
  const objects = new Map<string, Uint8Array>();
  const parts = new Map<string, Uint8Array>();
  let generation = 0;

  const keep = (bytes: Uint8Array) => {
    const sha256 = hex("sha256", bytes);
    const key = `oci/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${(generation += 1)}`;
    if (rows) return { key, size: bytes.length, bytes, discard: async () => {} };
    objects.set(key, bytes);
    return { key, size: bytes.length, discard: async () => void objects.delete(key) };
  };
  const staged = (bytes: Uint8Array): StagedBlob => {
    let savedBlob: ReturnType<typeof keep> | undefined;
    return {
      size: bytes.length,
      digests: { sha256: hex("sha256", bytes), sha512: hex("sha512", bytes) },
      read: (range) => chunksOf(bytes, range),
      keep: async () => (savedBlob ??= keep(bytes)),
      async [Symbol.asyncDispose]() {},
    };
  };

  return {
    objects,
    pending: () => [...parts.keys()],
    async delete(key) {
      objects.delete(key);
      await rows?.delete(key);
    },
    async stage(body, options) {
      return staged(await collect(body, options.maxBytes));
    },
    async append(id, offset, body, options) {
      const added = await collect(body, options.maxBytes);
      const before = (parts.get(id) ?? new Uint8Array()).subarray(0, offset);
      if (before.length !== offset) throw new Error(`upload ${id} has no ${offset} bytes`);
      parts.set(id, Buffer.concat([before, added]));
      return offset + added.length;
    },
    async assemble(id, size) {
      const bytes = (parts.get(id) ?? new Uint8Array()).subarray(0, size);
      if (bytes.length !== size) throw new Error(`upload ${id} has no ${size} bytes`);
      parts.delete(id);
      return staged(bytes);
    },
    async drop(id) {
      parts.delete(id);
    },
    isPresent: async ({ key }) => (rows ? await rows.read(key) : objects.get(key)) !== undefined,
    open: ({ key, size }) => ({
      size,
      async *read(range) {
        const bytes = rows ? await rows.read(key) : objects.get(key);
        if (!bytes) throw new Error(`no object ${key}`);
        yield* chunksOf(bytes, range);
      },
    }),
  };
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* chunksOf(bytes: Uint8Array, range?: ByteRange): AsyncIterable<Uint8Array> {
  yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
}

function hex(algorithm: "sha256" | "sha512", bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest("hex");
}
