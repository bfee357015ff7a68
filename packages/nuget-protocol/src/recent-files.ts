import type { EmbeddedFile } from "./embedded-file.ts";

/** With a strong entity tag, without quotes. */
export type RecentFile = EmbeddedFile & { readonly etag: string };

export type RecentFiles = (
  key: string,
  read: () => Promise<RecentFile | undefined>,
) => Promise<RecentFile | undefined>;

/** What an entry costs beside its bytes, so that very many very small ones are bounded too. */
const OVERHEAD_BYTES = 512;

/**
 * Remembers the files asked for last, up to `bytesMax` bytes together, and reads a file once for
 * many who ask at the same time. A failure is not remembered, nor is that there is no such file.
 */
export function createRecentFiles(bytesMax: number): RecentFiles {
  /** Least recently used first. */
  const kept = new Map<string, RecentFile>();
  const underWay = new Map<string, Promise<RecentFile | undefined>>();
  let total = 0;

  function forget(key: string, file: RecentFile): void {
    if (kept.delete(key)) total -= costOf(file);
  }

  function keep(key: string, file: RecentFile): void {
    const known = kept.get(key);
    if (known) forget(key, known);
    kept.set(key, file);
    total += costOf(file);
    for (const [oldest, old] of kept) {
      if (total <= bytesMax) break;
      forget(oldest, old);
    }
  }

  async function readAndKeep(key: string, read: () => Promise<RecentFile | undefined>) {
    try {
      const file = await read();
      if (file) keep(key, file);
      return file;
    } finally {
      underWay.delete(key);
    }
  }

  return async (key, read) => {
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const reading = underWay.get(key) ?? readAndKeep(key, read);
    underWay.set(key, reading);
    return reading;
  };
}

function costOf({ bytes }: RecentFile): number {
  return bytes.length + OVERHEAD_BYTES;
}
