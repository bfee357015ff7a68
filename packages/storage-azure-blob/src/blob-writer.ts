import { randomBytes } from "node:crypto";
import type { BlockBlobClient } from "@azure/storage-blob";
import type { ObjectStore } from "@sealhouse/storage-providers";
import { createOnce, createRemoteWriter } from "@sealhouse/storage-providers/remote";
import type { BlockUpload, ServiceCalls, WriteCall } from "@sealhouse/storage-providers/remote";
import { isExisting, isMissing, isSuperseded } from "./azure-error.ts";
import type { AzureParts } from "./azure-parts.ts";
import { blockId } from "./block-names.ts";
import { discardBlocks } from "./uncommitted-blobs.ts";

const MIB = 1024 * 1024;
const FIRST_BLOCK_BYTES = 8 * MIB;
/** A blob has at most 50,000 blocks. With this growth, they hold 1.4 TiB. */
const BLOCKS_PER_SIZE = 12_500;
const SENT_AT_ONCE = 2;
/** The metadata of a create-only write, which tells a repeated attempt its own blob. */
const WRITE_ID = "sealhousewrite";

/** Creates the `write` of a store. */
export function createBlobWriter(parts: AzureParts): ObjectStore["write"] {
  const { calls, container, names } = parts;
  return createRemoteWriter(parts, { bytesOf: blockBytes, atOnce: SENT_AT_ONCE }, (key, call) => {
    const blob = container.getBlockBlobClient(names.nameOf(key));
    return {
      create: (bytes) =>
        createOnce(calls, call, bytes, {
          create: (content, id, abortSignal) =>
            blob.upload(content, content.length, {
              abortSignal,
              conditions: { ifNoneMatch: "*" },
              metadata: { [WRITE_ID]: id },
            }),
          storedId: (abortSignal) => writeIdOf(blob, abortSignal),
          isExisting,
        }),
      replace: (bytes, abortSignal) => blob.upload(bufferOf(bytes), bytes.length, { abortSignal }),
      begin: async () => openStaging({ blob, calls, call, key }),
    };
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

function blockBytes(index: number): number {
  return FIRST_BLOCK_BYTES * 2 ** Math.floor(index / BLOCKS_PER_SIZE);
}

/** A view of the bytes; the SDK's type asks for a Buffer. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

type Staging = {
  readonly blob: BlockBlobClient;
  readonly calls: ServiceCalls;
  readonly call: WriteCall;
  readonly key: string;
};

/** Blocks that are staged and then committed. */
function openStaging({ blob, calls, call, key }: Staging): BlockUpload {
  const id = randomBytes(8).toString("hex");
  const names: string[] = [];
  return {
    send({ bytes }, index, blockCall) {
      const name = blockId(id, index, Date.now());
      names.push(name);
      return calls.run(blockCall, (abortSignal) =>
        blob.stageBlock(name, bufferOf(bytes), bytes.length, { abortSignal }),
      );
    },
    complete: () =>
      calls.run(call, async (abortSignal) => {
        try {
          await blob.commitBlockList(names, { abortSignal });
        } catch (error) {
          // Another writer committed first, which drops all other blocks of the blob. Its bytes
          // replaced these: the same end as in the other order.
          if (isSuperseded(error) && (await blob.exists({ abortSignal }))) return;
          throw error;
        }
      }),
    discard: () => discardBlocks({ blob, calls, key }),
  };
}
