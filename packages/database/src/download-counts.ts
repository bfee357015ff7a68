import type { Protocol } from "@sealhouse/request-types";

export type Downloads = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly count: number;
};

export type DownloadCounts = AsyncDisposable & {
  /** Adds one, in memory: nothing is written on the read path. */
  add(protocol: Protocol, name: string, version: string): void;
  /** Writes what was collected; what fails is kept for the next time. */
  flush(): Promise<void>;
};

/** So many different versions are counted between two flushes; further ones flush at once. */
const VERSIONS_MAX = 10_000;

/** Collects download counts and writes them in batches. Disposal writes what is left. */
export function openDownloadCounts(options: {
  readonly write: (counts: readonly Downloads[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): DownloadCounts {
  let collected = new Map<string, Downloads>();
  let writing: Promise<void> = Promise.resolve();

  const put = (one: Downloads) => {
    const key = `${one.protocol} ${one.name} ${one.version}`;
    const count = (collected.get(key)?.count ?? 0) + one.count;
    collected.set(key, { ...one, count });
  };
  const write = async () => {
    const batch = [...collected.values()];
    collected = new Map();
    if (batch.length === 0) return;
    try {
      await options.write(batch);
    } catch (error) {
      if (collected.size < VERSIONS_MAX) for (const one of batch) put(one);
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
