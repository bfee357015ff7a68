import { createHash } from "node:crypto";
import type { StagedTarball, TarballContent, TarballFiles } from "../ports.ts";
import type { NamedBlob } from "../npm-version.ts";

/**
 * Bytes in memory. `keys` lists the stored objects, `staged` counts stagings that are not disposed
 * yet.
 */
export type MemoryFiles = {
  readonly files: TarballFiles;
  readonly content: TarballContent;
  readonly keys: () => readonly string[];
  readonly staged: () => number;
};

/** `restore` gives a lost tarball the same bytes; false when no such tarball is lost. */
export function createMemoryFiles(
  restore: (blob: NamedBlob) => Promise<boolean> = async () => false,
): MemoryFiles {
  const keptBytes = new Map<string, Uint8Array>();
  let staged = 0;
  let generation = 0;

  const keep = async (bytes: Uint8Array, sha256: string) => {
    const key = `npm/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${++generation}`;
    keptBytes.set(key, bytes);
    const blob = { key, size: bytes.length, sha256 };
    if (await restore(blob)) return { ...blob, isRestored: true as const, discard: async () => {} };
    return { ...blob, discard: async () => void keptBytes.delete(key) };
  };

  const stage = async (body: AsyncIterable<Uint8Array>, maxBytes: number) => {
    const bytes = await collect(body, maxBytes);
    staged += 1;
    const sha256 = digestOf(bytes, "sha256");
    return {
      size: bytes.length,
      digests: { sha256, sha1: digestOf(bytes, "sha1"), sha512: digestOf(bytes, "sha512") },
      read: () => chunksOf(bytes),
      keep: () => keep(bytes, sha256),
      async [Symbol.asyncDispose]() {
        staged -= 1;
      },
    } satisfies StagedTarball;
  };

  return {
    files: { stage: (body, { maxBytes = Infinity }) => stage(body, maxBytes) },
    content: {
      address: async () => undefined,
      open: (blob) => sourceOf(blob, keptBytes.get(blob.key)),
    },
    keys: () => [...keptBytes.keys()],
    staged: () => staged,
  };
}

function sourceOf(blob: NamedBlob, bytes: Uint8Array | undefined) {
  if (!bytes) throw new Error(`no bytes are kept under ${blob.key}`);
  return {
    size: blob.size,
    read: (range?: { start: number; end: number }) =>
      chunksOf(range ? bytes.subarray(range.start, range.end + 1) : bytes),
  };
}

/** Rejects as the blob store of storage-providers does. */
async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw Object.assign(new Error(`more than ${maxBytes} bytes`), { code: "too-large" });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const chunkBytes = 64 * 1024;
  for (let index = 0; index < bytes.length; index += chunkBytes)
    yield bytes.subarray(index, index + chunkBytes);
}

function digestOf(bytes: Uint8Array, algorithm: string): string {
  return createHash(algorithm).update(bytes).digest("hex");
}
