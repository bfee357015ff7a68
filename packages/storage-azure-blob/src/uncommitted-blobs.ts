import type { BlobClient, BlockBlobClient } from "@azure/storage-blob";
import type { UnfinishedWrite, UnfinishedWrites } from "@sealhouse/storage-providers";
import type { ServiceCalls } from "@sealhouse/storage-providers/remote";
import { isExisting, isMissing } from "./azure-error.ts";
import type { AzureParts } from "./azure-parts.ts";
import { timeOfBlock } from "./block-names.ts";

const LIST_PAGE = 1000;

/** Blobs that have blocks and were never committed. Azure itself removes blocks after a week. */
export function uncommittedBlobs(parts: AzureParts): UnfinishedWrites {
  const { container, names, calls } = parts;
  return {
    list: () => listUncommitted(parts),
    async delete(name) {
      const key = names.keyOf(name);
      if (key === undefined) return;
      await discardBlocks({ blob: container.getBlockBlobClient(name), calls, key });
    },
  };
}

async function* listUncommitted({
  container,
  names,
  calls,
}: AzureParts): AsyncGenerator<UnfinishedWrite, void, undefined> {
  let continuationToken: string | undefined;
  do {
    const page = await calls.run({ action: "list unfinished writes" }, async (abortSignal) => {
      const options = { prefix: names.listed(""), includeUncommitedBlobs: true, abortSignal };
      const settings = { maxPageSize: LIST_PAGE, ...(continuationToken && { continuationToken }) };
      const { value } = await container.listBlobsFlat(options).byPage(settings).next();
      return value;
    });
    for (const { name, properties } of page?.segment.blobItems ?? []) {
      // Only an empty blob can be one that was never committed; a committed one has no such blocks.
      if ((properties.contentLength ?? 0) > 0 || names.keyOf(name) === undefined) continue;
      const write = await blocksWithoutBlob(container.getBlockBlobClient(name), { name, calls });
      if (write) yield write;
    }
    continuationToken = page?.continuationToken;
  } while (continuationToken);
}

/** Undefined when there are no such blocks, or those of another program. */
async function blocksWithoutBlob(
  blob: BlockBlobClient,
  { name, calls }: { readonly name: string; readonly calls: ServiceCalls },
): Promise<UnfinishedWrite | undefined> {
  const blocks = await calls.run({ action: `list the blocks of ${name}` }, async (abortSignal) => {
    try {
      const { uncommittedBlocks = [] } = await blob.getBlockList("uncommitted", { abortSignal });
      return uncommittedBlocks;
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  });
  const times = blocks.flatMap((block) => timeOfBlock(block.name) ?? []);
  if (times.length === 0) return undefined;
  const modifiedAt = new Date(Math.max(...times));
  return { name, size: blocks.reduce((sum, { size }) => sum + size, 0), modifiedAt };
}

/**
 * Removes the blocks of a blob that was never committed: an empty list of blocks drops them.
 * A blob that was committed since keeps its content.
 */
export async function discardBlocks({
  blob,
  calls,
  key,
}: {
  readonly blob: BlockBlobClient;
  readonly calls: ServiceCalls;
  readonly key: string;
}): Promise<void> {
  await calls.run({ action: `remove the unfinished write of ${key}` }, async (abortSignal) => {
    try {
      const options = { abortSignal, conditions: { ifNoneMatch: "*" } };
      const { etag } = await blob.commitBlockList([], options);
      await deleteVersion(blob, { etag, abortSignal });
    } catch (error) {
      if (!isExisting(error) && !isMissing(error)) throw error;
    }
  });
}

async function deleteVersion(
  blob: BlobClient,
  { etag, abortSignal }: { readonly etag: string | undefined; readonly abortSignal: AbortSignal },
): Promise<void> {
  await blob.delete({ abortSignal, ...(etag !== undefined && { conditions: { ifMatch: etag } }) });
}
