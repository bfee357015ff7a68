import { BoundedCache } from "@sealhouse/bounded-cache";
import type { EmbeddedFile } from "./embedded-file.ts";

/** With a strong entity tag, without quotes. */
export type RecentFile = EmbeddedFile & { readonly etag: string };

/** Undefined: there is no such file. */
export type ReadFile = () => Promise<RecentFile | undefined>;

export type RecentFiles = (key: string, read: ReadFile) => Promise<RecentFile | undefined>;

/** Overhead of an entry in bytes, which limits the number of very small entries. */
const OVERHEAD_BYTES = 512;

/**
 * Remembers the files asked for last, up to `bytesMax` bytes together, and reads a file once for
 * many who ask at the same time. That there is no such file is remembered, a failure is not.
 */
export function createRecentFiles(bytesMax: number): RecentFiles {
  const cache = new BoundedCache<string, RecentFile | undefined>({
    weight: { max: bytesMax, of: (file) => (file?.bytes.length ?? 0) + OVERHEAD_BYTES },
  });
  const underWay = new Map<string, Promise<RecentFile | undefined>>();

  async function readAndKeep(key: string, read: ReadFile): Promise<RecentFile | undefined> {
    try {
      const file = await read();
      cache.set(key, file);
      return file;
    } finally {
      underWay.delete(key);
    }
  }

  return async (key, read) => {
    if (cache.has(key)) return cache.get(key);
    const reading = underWay.get(key) ?? readAndKeep(key, read);
    underWay.set(key, reading);
    return reading;
  };
}
