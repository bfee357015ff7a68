import { randomBytes, randomUUID } from "node:crypto";
import type { BlockBlobClient } from "@azure/storage-blob";
import { guardedBody, StorageError } from "@sealhouse/storage-providers";
import type { ObjectKey, ObjectStore, WriteOutcome } from "@sealhouse/storage-providers";
import { blocksOf, collectedBody } from "@sealhouse/storage-providers/remote";
import type { Block, ServiceCalls } from "@sealhouse/storage-providers/remote";
import { isExisting, isMissing, isSuperseded } from "./azure-error.ts";
import type { AzureParts } from "./azure-parts.ts";
import { blockId } from "./block-names.ts";
import { discardBlocks } from "./uncommitted-blobs.ts";

const MIB = 1024 * 1024;
const FIRST_BLOCK_BYTES = 8 * MIB;
/** A blob has at most 50,000 blocks. With this growth, they hold 1.4 TiB. */
const BLOCKS_PER_SIZE = 12_500;
const SENT_AT_ONCE = 2;
const BLOCK_TIMEOUT_MS = 120_000;
/** The metadata of a create-only write, which tells a repeated attempt its own blob. */
const WRITE_ID = "sealhousewrite";

/** Creates the `write` of a store. */
export function createBlobWriter(parts: AzureParts): ObjectStore["write"] {
  return async (key, body, { existing, ...limits }) => {
    limits.signal?.throwIfAborted();
    const blob = parts.container.getBlockBlobClient(parts.names.nameOf(key));
    const { uploadTimeoutMs = BLOCK_TIMEOUT_MS } = parts.limits;
    const upload: Upload = {
      key,
      blob,
      calls: parts.calls,
      call: { action: `write ${key}`, signal: limits.signal, timeoutMs: uploadTimeoutMs },
    };
    if (existing === "keep") return create(upload, await collectedBody(body, limits));
    return replace(upload, guardedBody(body, limits));
  };
}

type Upload = {
  readonly key: ObjectKey;
  readonly blob: BlockBlobClient;
  readonly calls: ServiceCalls;
  readonly call: {
    readonly action: string;
    readonly signal: AbortSignal | undefined;
    readonly timeoutMs: number;
  };
};

/** One conditional request. An attempt whose answer was lost may have been the one that created. */
async function create({ blob, calls, call }: Upload, bytes: Buffer): Promise<WriteOutcome> {
  const id = randomUUID();
  return calls.run(call, async (abortSignal, number) => {
    try {
      await blob.upload(bytes, bytes.length, {
        abortSignal,
        conditions: { ifNoneMatch: "*" },
        metadata: { [WRITE_ID]: id },
      });
    } catch (error) {
      if (!isExisting(error)) throw error;
      const isOwn = number > 1 && (await writeIdOf(blob, abortSignal)) === id;
      if (!isOwn) return { status: "exists" };
    }
    return { status: "written", size: bytes.length };
  });
}

async function writeIdOf(
  blob: BlockBlobClient,
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await blob.getProperties({ abortSignal })).metadata?.[WRITE_ID];
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A body of one block is one request; a larger one is staged in blocks and then committed. */
async function replace(upload: Upload, body: AsyncIterable<Uint8Array>): Promise<WriteOutcome> {
  const staging = createStaging(upload);
  try {
    for await (const block of blocksOf(body, blockBytes)) {
      if (block.isLast && staging.isEmpty()) return await putWhole(upload, block.bytes);
      await staging.add(block);
    }
    await staging.settled();
  } catch (error) {
    await staging.discard();
    throw error;
  }
  return commit(upload, staging);
}

function blockBytes(index: number): number {
  return FIRST_BLOCK_BYTES * 2 ** Math.floor(index / BLOCKS_PER_SIZE);
}

async function putWhole({ blob, calls, call }: Upload, bytes: Uint8Array): Promise<WriteOutcome> {
  await calls.run(call, (abortSignal) =>
    // A view of the bytes; the SDK's type asks for a Buffer.
    blob.upload(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length, {
      abortSignal,
    }),
  );
  return { status: "written", size: bytes.length };
}

type Staging = ReturnType<typeof createStaging>;

/** Sends blocks, `SENT_AT_ONCE` at a time. */
function createStaging({ blob, calls, call, key }: Upload) {
  const id = randomBytes(8).toString("hex");
  const failed = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, failed.signal]) : failed.signal;
  const ids: string[] = [];
  const running = new Set<Promise<void>>();
  let size = 0;

  const send = async ({ bytes, release }: Block, blockName: string): Promise<void> => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    await calls.run({ ...call, signal }, (abortSignal) =>
      blob.stageBlock(blockName, buffer, buffer.length, { abortSignal }),
    );
    release();
  };

  return {
    ids,
    size: () => size,
    isEmpty: () => ids.length === 0,
    async add(block: Block): Promise<void> {
      while (running.size >= SENT_AT_ONCE) await Promise.race(running);
      const name = blockId(id, ids.length, Date.now());
      ids.push(name);
      size += block.bytes.length;
      const sending = send(block, name);
      running.add(sending);
      sending.then(
        () => running.delete(sending),
        () => undefined,
      );
    },
    async settled(): Promise<void> {
      await Promise.all(running);
    },
    /** Ends the requests and removes the blocks. A sweep removes those that remain. */
    async discard(): Promise<void> {
      failed.abort(new StorageError("storage-unavailable", `cannot write ${key}: given up`));
      await Promise.allSettled(running);
      if (ids.length > 0) await discardBlocks({ blob, calls, key }).catch(() => undefined);
    },
  };
}

async function commit({ blob, calls, call }: Upload, staging: Staging): Promise<WriteOutcome> {
  try {
    await calls.run(call, async (abortSignal) => {
      try {
        await blob.commitBlockList(staging.ids, { abortSignal });
      } catch (error) {
        // Another writer committed first, which drops all other blocks of the blob. Its bytes
        // replaced these: the same end as in the other order.
        if (isSuperseded(error) && (await blob.exists({ abortSignal }))) return;
        throw error;
      }
    });
  } catch (error) {
    await staging.discard();
    throw error;
  }
  return { status: "written", size: staging.size() };
}
