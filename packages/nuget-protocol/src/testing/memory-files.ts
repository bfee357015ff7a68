import { createHash } from "node:crypto";
import type { PackageContent, PackageFiles } from "../ports.ts";
import { sourceOf } from "./build-nupkg.ts";

export type MemoryFiles = {
  readonly files: PackageFiles;
  readonly content: PackageContent;
  /** Kept bytes by key, for tests that look. */
  readonly storedFiles: ReadonlyMap<string, Uint8Array>;
  /** Stages that are not disposed. */
  open(): number;
};

/** Staging, keeping and serving of bytes in a `Map`; signatures are not applied. */
export function createMemoryFiles(): MemoryFiles {
  const files = new Map<string, Uint8Array>();
  let [generation, open] = [0, 0];
  return {
    storedFiles: files,
    open: () => open,
    files: {
      read: (key, range) => sourceOf(files.get(key) ?? Buffer.of()).read(range),
      async stage(body, options) {
        const bytes = Buffer.concat(await Array.fromAsync(body));
        options.signal?.throwIfAborted();
        open += 1;
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        const sha512 = createHash("sha512").update(bytes).digest("hex");
        let isOpen = true;
        return {
          ...sourceOf(bytes),
          digests: { sha256, ...(options.hashes.includes("sha512") && { sha512 }) },
          async keep() {
            generation += 1;
            const key = `nuget/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.${generation}`;
            files.set(key, bytes);
            const discard = async () => void files.delete(key);
            return { key, size: bytes.length, sha256, discard };
          },
          async [Symbol.asyncDispose]() {
            if (isOpen) open -= 1;
            isOpen = false;
          },
        };
      },
    },
    content: {
      async open({ blob }) {
        const bytes = files.get(blob.key);
        if (!bytes) throw new Error(`no bytes are kept under ${blob.key}`);
        return { ...sourceOf(bytes), etag: blob.sha256 };
      },
    },
  };
}
