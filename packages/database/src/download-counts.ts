import type { Job } from "@sealhouse/jobs";
import type { Protocol } from "@sealhouse/request-types";

/** Downloads of one version. */
export type Downloads = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly count: number;
};

/** Counter of downloads. Disposal writes the remaining counts. */
export type DownloadCounts = AsyncDisposable & {
  /** Adds one in memory; reads never write to the database. */
  add(protocol: Protocol, name: string, version: string): void;
  /** Writes the collected counts; failed ones stay for the next flush. */
  flush(): Promise<void>;
};

/** Number of distinct versions that triggers a flush. */
const VERSIONS_MAX = 10_000;
const FLUSH_EVERY_MS = 30_000;

/** Writes the collected download counts every 30 seconds. */
export function downloadCountsJob(counts: Pick<DownloadCounts, "flush">): Job {
  const times = { firstAfterMs: FLUSH_EVERY_MS, everyMs: FLUSH_EVERY_MS };
  return { name: "download counts", ...times, run: () => counts.flush() };
}

/** Collects download counts and writes them in batches. Disposal writes the rest. */
export function openDownloadCounts(options: {
  readonly write: (counts: readonly Downloads[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): DownloadCounts {
  let collected = new Map<string, Downloads>();
  let writing: Promise<void> = Promise.resolve();

  const put = (downloads: Downloads) => {
    const key = `${downloads.protocol} ${downloads.name} ${downloads.version}`;
    const count = (collected.get(key)?.count ?? 0) + downloads.count;
    collected.set(key, { ...downloads, count });
  };
  const write = async () => {
    const batch = [...collected.values()];
    collected = new Map();
    if (batch.length === 0) return;
    try {
      await options.write(batch);
    } catch (error) {
      if (collected.size < VERSIONS_MAX) for (const downloads of batch) put(downloads);
      options.onError(error);
    }
  };
  const flush = () => (writing = writing.then(write));
  return {
    add(protocol, name, version) {
      put({ protocol, name, version, count: 1 });
      if (collected.size >= VERSIONS_MAX) void flush();
    },
    flush,
    [Symbol.asyncDispose]: flush,
  };
}
