import type { TokenUse } from "./ports.ts";

export type UseRecorderOptions = {
  readonly use: TokenUse;
  /** The shortest time between two writes. */
  readonly flushMs: number;
  /** Told when a write failed; what was to be written is kept for the next. Must not throw. */
  readonly onError: (error: unknown) => void;
};

/** Collects what was used, and writes it off the request path. Disposal writes what is left. */
export interface UseRecorder extends AsyncDisposable {
  used(id: string, at: Date, from: string | undefined): void;
  /** A hash to be brought to the newest scheme with the next write. */
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
    used(id, at, from) {
      collected.uses.set(id, { id, at, ...(from !== undefined && { from }) });
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

/** Forgets only what was written; a newer use of the same token stays for the next time. */
async function write(use: TokenUse, { uses, hashes }: Collected): Promise<void> {
  const batch = [...uses.values()];
  if (batch.length > 0) await use.used(batch);
  for (const written of batch) if (uses.get(written.id) === written) uses.delete(written.id);
  for (const [id, { hash, scheme }] of hashes) {
    await use.rehash(id, hash, scheme);
    hashes.delete(id);
  }
}
