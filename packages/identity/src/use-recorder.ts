import type { TokenUse } from "./ports.ts";

export type UseRecorderOptions = {
  readonly use: TokenUse;
  /** Minimum milliseconds between two writes. */
  readonly flushMs: number;
  /** Receives errors of writes; the data stays for the next write. Must not throw. */
  readonly onError: (error: unknown) => void;
};

/** Collects token uses, and writes them off the request path. Disposal writes the rest. */
export interface UseRecorder extends AsyncDisposable {
  used(id: string, time: Date, from: string | undefined): void;
  /** Queues an upgraded hash for the next write. */
  rehash(id: string, hash: string, scheme: number): void;
}

type Use = { readonly id: string; readonly at: Date; readonly from?: string };
type Rehash = { readonly hash: string; readonly scheme: number };
type Collected = { uses: Map<string, Use>; hashes: Map<string, Rehash> };

/** Memory grows with the number of tokens in use, not with the number of requests. */
export function openUseRecorder({ use, flushMs, onError }: UseRecorderOptions): UseRecorder {
  const collected: Collected = { uses: new Map(), hashes: new Map() };
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let writing: Promise<void> = Promise.resolve();

  const flush = () => {
    timer = undefined;
    writing = writing
      .then(() => write(use, collected))
      .catch((error: unknown) => {
        onError(error);
        schedule();
      });
    return writing;
  };
  const schedule = () => {
    if (!closed) timer ??= setTimeout(() => void flush(), flushMs).unref();
  };

  return {
    used(id, usedAt, from) {
      collected.uses.set(id, { id, at: usedAt, ...(from !== undefined && { from }) });
      schedule();
    },
    rehash(id, hash, scheme) {
      collected.hashes.set(id, { hash, scheme });
      schedule();
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(timer);
      await flush();
    },
  };
}

/** Removes only written entries; a newer use of the same token stays for the next write. */
async function write(use: TokenUse, { uses, hashes }: Collected): Promise<void> {
  const batch = [...uses.values()];
  if (batch.length > 0) await use.used(batch);
  for (const written of batch) if (uses.get(written.id) === written) uses.delete(written.id);
  for (const [id, { hash, scheme }] of hashes) {
    await use.rehash(id, hash, scheme);
    hashes.delete(id);
  }
}
