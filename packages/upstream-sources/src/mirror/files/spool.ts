import type { ByteSource } from "@sealhouse/http-responses";
import { createSpoolBytes } from "./spool-bytes.ts";

/**
 * Bytes that arrive once and are read by several readers at the same time. Readers follow the
 * writer, and get the last bytes only after `finish`: no reader has all bytes before they are
 * verified.
 */
export type Spool = AsyncDisposable & {
  /** Adds a copy of the bytes; may wait for the disk. */
  append(chunk: Uint8Array): Promise<void>;
  /** Everything has arrived and is verified. */
  finish(): void;
  /** The bytes are wrong or incomplete: all readers fail with this error. */
  fail(error: unknown): void;
  /** Reads to the end, behind the writer. */
  read: Read;
  /** Keeps the bytes for a reader that begins within a minute, even after disposal. Undefined when
   * the bytes are already dropped. */
  readLater(): Read | undefined;
  size(): number;
};

type Read = (
  ...args: Parameters<ByteSource["read"]>
) => AsyncGenerator<Uint8Array, void, undefined>;

/** Bytes that readers do not get before the end is verified. */
const HELD_BACK_BYTES = 64 * 1024;
const READ_WITHIN_MS = 60_000;
const CHUNK_BYTES = 256 * 1024;

type State = "arriving" | "finished" | { readonly error: unknown };

/** Creates a spool in memory or, when it grows, in a file of `folder`. Its bytes are dropped after
 * disposal, when the last reader has ended. */
export function createSpool(folder: string, sizeHint?: number): Spool {
  const bytes = createSpoolBytes(folder, sizeHint);
  let state: State = "arriving";
  let readers = 0;
  let isDisposed = false;
  let changed = Promise.withResolvers<void>();

  const become = (next: State) => {
    state = next;
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const leave = async () => {
    readers -= 1;
    if (isDisposed && readers === 0) await bytes.close();
  };
  const available = () =>
    state === "finished" ? bytes.size() : Math.max(0, bytes.size() - HELD_BACK_BYTES);

  const follow = follower(bytes, {
    available,
    state: () => state,
    changed: () => changed.promise,
  });
  /** `readers` counts this one already. */
  const readThenLeave: Read = async function* readThenLeave(...args) {
    try {
      yield* follow(...args);
    } finally {
      await leave();
    }
  };
  const read: Read = async function* read(...args) {
    readers += 1;
    yield* readThenLeave(...args);
  };

  return {
    async append(chunk) {
      await bytes.append(chunk);
      become(state);
    },
    finish: () => become("finished"),
    fail: (error) => become({ error }),
    read,
    readLater() {
      if (isDisposed && readers === 0) return undefined;
      readers += 1;
      const isReserved = reservation(() => {
        // The file has no name: a failure to close it costs a descriptor.
        leave().catch(() => undefined);
      });
      return (...args) => (isReserved() ? readThenLeave(...args) : read(...args));
    },
    size: () => bytes.size(),
    async [Symbol.asyncDispose]() {
      if (state === "arriving") become({ error: new Error("the transfer was ended") });
      isDisposed = true;
      if (readers === 0) await bytes.close();
    },
  };
}

/** Reads behind the writer: what is available, and the rest after each change of the state. */
function follower(
  bytes: Pick<ReturnType<typeof createSpoolBytes>, "readAt">,
  writer: {
    readonly available: () => number;
    readonly state: () => State;
    readonly changed: () => Promise<void>;
  },
): Read {
  return async function* follow(range, { reuse = false } = {}) {
    let position = range?.start ?? 0;
    const end = range ? range.end + 1 : Number.POSITIVE_INFINITY;
    const memoryFor = reuse ? reusedMemory() : newMemory;
    while (position < end) {
      const limit = Math.min(writer.available(), end);
      const state = writer.state();
      if (position < limit) {
        const memory = memoryFor(Math.min(limit - position, CHUNK_BYTES));
        const chunk = await bytes.readAt(position, memory);
        position += chunk.length;
        yield chunk;
      } else if (state === "finished") return;
      else if (state !== "arriving") throw state.error;
      else await writer.changed();
    }
  };
}

function newMemory(bytes: number): Buffer {
  return Buffer.allocUnsafe(bytes);
}

function reusedMemory(): (bytes: number) => Buffer {
  let memory = Buffer.alloc(0);
  return (bytes) => {
    if (memory.length < bytes) memory = Buffer.allocUnsafeSlow(bytes);
    return memory.subarray(0, bytes);
  };
}

/** Returns a function that is true at its first call within a minute. Without such a call, calls
 * `onEnd`. */
function reservation(onEnd: () => void): () => boolean {
  let isOpen = true;
  const timer = setTimeout(() => {
    isOpen = false;
    onEnd();
  }, READ_WITHIN_MS);
  timer.unref();
  return () => {
    clearTimeout(timer);
    const wasOpen = isOpen;
    isOpen = false;
    return wasOpen;
  };
}
