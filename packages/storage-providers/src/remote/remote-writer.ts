import { randomUUID } from "node:crypto";
import { guardedBody } from "../guarded-body.ts";
import type { ObjectKey, ObjectStore, WriteOutcome } from "../object-store.ts";
import { StorageError } from "../storage-error.ts";
import type { Block } from "./blocks-of.ts";
import { blocksOf } from "./blocks-of.ts";
import type { RemoteParts } from "./remote-store.ts";
import type { ServiceCall, ServiceCalls } from "./service-calls.ts";
import type { BodyLimits } from "../guarded-body.ts";

/** The call of a write, with its time limit for each attempt. */
export type WriteCall = ServiceCall & { readonly timeoutMs: number };

/** An upload in several requests. */
export type BlockUpload = {
  /** Sends one block; `index` counts from 0. The signal of `call` aborts when the upload fails. */
  send(block: Block, index: number, call: WriteCall): Promise<unknown>;
  /** Makes the object of all blocks visible. */
  complete(size: number): Promise<unknown>;
  /** Removes the blocks. A sweep removes those that remain. */
  discard(): Promise<unknown>;
};

/** The requests of one write. */
export type RemoteWrite = {
  /** Creates the object when none has the name. */
  create(bytes: Buffer): Promise<WriteOutcome>;
  /** Replaces the object in one request. */
  replace(bytes: Uint8Array, signal: AbortSignal): Promise<unknown>;
  /** Begins an upload of a body with more than one block. */
  begin(): Promise<BlockUpload>;
};

/** Sizes of blocks, and how many are sent at the same time. */
export type BlockLimits = {
  /** Bytes of a block by its index, from 0. */
  readonly bytesOf: (index: number) => number;
  readonly atOnce: number;
};

const TIMEOUT_MS = 120_000;

/** Creates the `write` of a store. A body of one block is one request. */
export function createRemoteWriter(
  { calls, limits: { uploadTimeoutMs: timeoutMs = TIMEOUT_MS } }: RemoteParts,
  blocks: BlockLimits,
  open: (key: ObjectKey, call: WriteCall) => RemoteWrite,
): ObjectStore["write"] {
  return async (key, body, { existing, ...limits }) => {
    limits.signal?.throwIfAborted();
    const call = { action: `write ${key}`, signal: limits.signal, timeoutMs };
    const write = open(key, call);
    if (existing === "keep") return write.create(await collectedBody(body, limits));
    let upload: ReturnType<typeof sendBlocks> | undefined;
    let size = 0;
    try {
      for await (const block of blocksOf(guardedBody(body, limits), blocks.bytesOf)) {
        size += block.bytes.length;
        if (block.isLast && !upload) {
          await calls.run(call, (signal) => write.replace(block.bytes, signal));
          return { status: "written", size };
        }
        upload ??= sendBlocks(await write.begin(), call, blocks.atOnce);
        await upload.add(block);
      }
      await upload?.complete(size);
    } catch (error) {
      await upload?.discard();
      throw error;
    }
    return { status: "written", size };
  };
}

/** Sends blocks, `atOnce` at a time. */
function sendBlocks(upload: BlockUpload, call: WriteCall, atOnce: number) {
  const failed = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, failed.signal]) : failed.signal;
  const running = new Set<Promise<void>>();
  let count = 0;
  return {
    async add(block: Block): Promise<void> {
      while (running.size >= atOnce) await Promise.race(running);
      const sending = upload.send(block, count, { ...call, signal }).then(block.release);
      count += 1;
      running.add(sending);
      sending.then(
        () => running.delete(sending),
        () => undefined,
      );
    },
    async complete(size: number): Promise<void> {
      await Promise.all(running);
      await upload.complete(size);
    },
    async discard(): Promise<void> {
      failed.abort(new StorageError("storage-unavailable", `cannot ${call.action}: given up`));
      await Promise.allSettled(running);
      await upload.discard().catch(() => undefined);
    },
  };
}

/** The conditional request of a create-only write. */
export type ConditionalWrite = {
  /** Creates the object with the id in its metadata. */
  readonly create: (bytes: Buffer, id: string, signal: AbortSignal) => Promise<unknown>;
  /** The id of the stored object; undefined without one. */
  readonly storedId: (signal: AbortSignal) => Promise<string | undefined>;
  /** Whether an object had the name. */
  readonly isExisting: (error: unknown) => boolean;
};

/** One conditional request. An attempt whose answer was lost may have been the one that created. */
export async function createOnce(
  calls: ServiceCalls,
  call: WriteCall,
  bytes: Buffer,
  { create, storedId, isExisting }: ConditionalWrite,
): Promise<WriteOutcome> {
  const id = randomUUID();
  return calls.run(call, async (signal, number) => {
    try {
      await create(bytes, id, signal);
    } catch (error) {
      if (!isExisting(error)) throw error;
      const isOwn = number > 1 && (await storedId(signal)) === id;
      if (!isOwn) return { status: "exists" };
    }
    return { status: "written", size: bytes.length };
  });
}

/** The most bytes of a `keep` write: drivers of services hold them in memory. */
const KEEP_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads the body of a `keep` write. Rejects with `storage-too-large` beyond `KEEP_BYTES_MAX` or the
 * caller's own limit.
 */
async function collectedBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes = KEEP_BYTES_MAX, ...limits }: BodyLimits,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const guarded = guardedBody(body, { ...limits, maxBytes: Math.min(maxBytes, KEEP_BYTES_MAX) });
  // Copies the chunk, because its producer may reuse the memory.
  for await (const chunk of guarded) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}
