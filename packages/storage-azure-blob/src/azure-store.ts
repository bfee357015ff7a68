import type { ContainerListBlobFlatSegmentResponse } from "@azure/storage-blob";
import { StorageError, StorageSettingError } from "@sealhouse/storage-providers";
import type { ObjectKey, ObjectStore } from "@sealhouse/storage-providers";
import {
  createKeyPrefix,
  createRemoteStore,
  createServiceCalls,
} from "@sealhouse/storage-providers/remote";
import type { KeyPrefix } from "@sealhouse/storage-providers/remote";
import { connectAzure } from "./azure-client.ts";
import type { AzureClient } from "./azure-client.ts";
import type { AzureConfig, AzureOptions } from "./azure-config.ts";
import { azureErrors, isContainerMissing, isMissing, isPastEnd, isRefused } from "./azure-error.ts";
import type { AzureLimits, AzureParts } from "./azure-parts.ts";
import { createBlobWriter } from "./blob-writer.ts";
import { uncommittedBlobs } from "./uncommitted-blobs.ts";

const LIST_PAGE = 1000;
/** Milliseconds to find out at the start whether the credentials can sign addresses. */
const SIGN_TIMEOUT_MS = 5_000;
const TRIAL_MS = 60_000;
/** Milliseconds between two questions about a copy that Azure makes in the background. */
const COPY_POLL_MS = 500;
/** Milliseconds that a copy may take: within one account, Azure copies without moving the bytes. */
const COPY_TIMEOUT_MS = 10 * 60 * 1000;

/**
 * Opens a container, and looks into it once.
 *
 * @throws {StorageSettingError} when the container does not exist, or refuses the credentials
 * @throws {StorageError} when the service is unavailable
 */
export async function openAzureStore(
  options: AzureOptions,
  limits: AzureLimits = {},
): Promise<ObjectStore> {
  const { account } = options;
  const isUnnamed = account.type === "connection-string" && !("key" in account);
  const config: AzureConfig = {
    ...options,
    account: isUnnamed ? { ...account, key: "the connection string" } : account,
  };
  const names = azureNames(config.prefix);
  const client = await connectAzure(config);
  const calls = createServiceCalls(
    azureErrors({ credentials: client.hint, address: client.addressKey }),
    limits,
  );
  const parts: AzureParts = { container: client.container, names, calls, limits };
  try {
    await lookInside(parts, config, client.hint);
    return storeOf(parts, await canPresign(parts, client));
  } catch (error) {
    calls[Symbol.dispose]();
    throw error;
  }
}

/** An identity may lack the right to a user delegation key; then clients read through the host. */
async function canPresign(
  { calls }: AzureParts,
  { presign }: AzureClient,
): Promise<AzureClient["presign"]> {
  if (!presign) return undefined;
  const expiresOn = new Date(Date.now() + TRIAL_MS);
  const call = { action: "sign an address", timeoutMs: SIGN_TIMEOUT_MS };
  try {
    await calls.run(call, () => presign("trial", expiresOn));
    return presign;
  } catch {
    return undefined;
  }
}

function storeOf(parts: AzureParts, presign: AzureClient["presign"]): ObjectStore {
  const { container } = parts;
  const store = createRemoteStore(parts, {
    async stat(name, abortSignal) {
      const blob = container.getBlobClient(name);
      const { contentLength: size = 0, lastModified: modifiedAt = new Date(0) } =
        await blob.getProperties({ abortSignal });
      return { size, modifiedAt };
    },
    async open(name, { start, end, version }, abortSignal) {
      const count = end === undefined ? undefined : end - start + 1;
      const answer = await container.getBlobClient(name).download(start, count, {
        abortSignal,
        maxRetryRequests: 0,
        ...(version !== undefined && { conditions: { ifMatch: version } }),
      });
      const { readableStreamBody, contentLength, etag } = answer;
      if (!readableStreamBody) throw new TypeError("the SDK gave no stream");
      return {
        chunks: bufferChunks(readableStreamBody),
        ...(contentLength !== undefined && { size: contentLength }),
        ...(etag !== undefined && { version: etag }),
      };
    },
    async list(prefix, continuationToken, abortSignal) {
      const blobs = container.listBlobsFlat({ prefix, abortSignal });
      const settings = { maxPageSize: LIST_PAGE, ...(continuationToken && { continuationToken }) };
      const page: ContainerListBlobFlatSegmentResponse | undefined = (
        await blobs.byPage(settings).next()
      ).value;
      const objects = (page?.segment.blobItems ?? []).map(({ name, properties }) => ({
        name,
        size: properties.contentLength ?? 0,
        modifiedAt: properties.lastModified,
      }));
      return { objects, next: page?.continuationToken };
    },
    delete: (name, abortSignal) =>
      container.getBlobClient(name).delete({ abortSignal, deleteSnapshots: "include" }),
    copy: (from, to) => copyBlob(parts, from, to),
    presign: presign && ((name, ms) => presign(name, new Date(Date.now() + ms))),
    isMissing,
    isPastEnd,
  });
  return { ...store, write: createBlobWriter(parts), unfinished: uncommittedBlobs(parts) };
}

async function lookInside(
  { container, calls, names }: AzureParts,
  config: AzureConfig,
  hint: string,
): Promise<void> {
  const action = `list the container ${config.container}`;
  let refusal: StorageSettingError | undefined;
  await calls.run({ action }, async (abortSignal) => {
    try {
      const pages = container.listBlobsFlat({ prefix: names.listed(""), abortSignal });
      await pages.byPage({ maxPageSize: 1 }).next();
    } catch (error) {
      refusal = refusalOf(error, { config, hint });
      if (!refusal) throw error;
    }
  });
  if (refusal) throw refusal;
}

function refusalOf(
  error: unknown,
  { config, hint }: { readonly config: AzureConfig; readonly hint: string },
): StorageSettingError | undefined {
  if (isContainerMissing(error)) {
    return new StorageSettingError(
      "Storage__Container",
      `the account has no container "${config.container}"; create it: ` +
        `az storage container create --name ${config.container}`,
    );
  }
  if (!isRefused(error)) return undefined;
  const { account } = config;
  const key =
    account.type === "connection-string"
      ? account.key
      : account.type === "access-key"
        ? "Storage__AccessKey"
        : "Storage__UseInstanceProfile";
  return new StorageSettingError(key, `Azure refuses these credentials; check ${hint}`);
}

async function* bufferChunks(stream: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

/** Copies within the account, with the rights of the request. */
async function copyBlob(parts: AzureParts, from: ObjectKey, to: ObjectKey): Promise<void> {
  const { container, names, calls } = parts;
  const source = container.getBlobClient(names.nameOf(from));
  const target = container.getBlobClient(names.nameOf(to));
  const action = `move ${from} to ${to}`;
  await calls.run({ action, timeoutMs: COPY_TIMEOUT_MS }, async (abortSignal) => {
    const copy = await target.beginCopyFromURL(source.url, {
      abortSignal,
      intervalInMs: COPY_POLL_MS,
    });
    const { copyStatus } = await copy.pollUntilDone();
    if (copyStatus === "success") return;
    throw new StorageError(
      "storage-unavailable",
      `cannot ${action}: the copy ended as ${copyStatus}`,
    );
  });
}

/**
 * Converts keys to blob names. Azure advises against path segments that end with a dot, because
 * some clients remove it; such a segment gets a `=`, which no key contains.
 */
export function azureNames(prefix: string | undefined): KeyPrefix {
  const names = createKeyPrefix(prefix);
  return {
    nameOf: (key) => names.nameOf(key).replaceAll(/\.(?=\/|$)/g, ".="),
    // The last segment of a prefix may continue after its dot.
    listed: (keyPrefix) => names.listed(keyPrefix).replaceAll("./", ".=/"),
    keyOf: (name) => names.keyOf(name.replaceAll(/\.=(?=\/|$)/g, ".")),
  };
}
