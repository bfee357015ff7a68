import { StorageSettingError } from "@sealhouse/storage-providers";
import type { ObjectKey, ObjectStore } from "@sealhouse/storage-providers";
import {
  createKeyPrefix,
  createRemoteStore,
  createServiceCalls,
} from "@sealhouse/storage-providers/remote";
import { readObject, readPage, readRewrite } from "./answers.ts";
import { connectGoogle, refusedCredentials } from "./google-client.ts";
import type { GoogleConfig } from "./google-config.ts";
import { googleErrors, isBucketMissing, isMissing, isPastEnd, isRefused } from "./google-error.ts";
import type { GoogleLimits, GoogleParts } from "./google-parts.ts";
import { createObjectWriter } from "./object-writer.ts";

const LIST_PAGE = 1000;
const FIELDS = "name,size,timeCreated";
/** Milliseconds for one step of a copy. Google copies without moving the bytes in most cases. */
const COPY_TIMEOUT_MS = 120_000;
/** Milliseconds to find out at the start whether the credentials can sign addresses. */
const SIGN_TIMEOUT_MS = 5_000;

/**
 * Opens a bucket, and looks into it once.
 *
 * @throws {StorageSettingError} when the bucket does not exist, or refuses the credentials
 * @throws {StorageError} when the service is unavailable
 */
export async function openGoogleStore(
  config: GoogleConfig,
  limits: GoogleLimits = {},
): Promise<ObjectStore> {
  const names = createKeyPrefix(config.prefix);
  const client = await connectGoogle(config);
  const calls = createServiceCalls(
    googleErrors({ credentials: client.hint, address: client.addressKey }),
    limits,
  );
  const parts: GoogleParts = { client, names, calls, limits };
  try {
    await lookInside(parts, config);
    return storeOf(parts, await canPresign(parts));
  } catch (error) {
    calls[Symbol.dispose]();
    throw error;
  }
}

function storeOf(parts: GoogleParts, isSigning: boolean): ObjectStore {
  const { client } = parts;
  const urlOf = (name: string) => `${client.objects}/${encodeURIComponent(name)}`;
  const store = createRemoteStore(parts, {
    async stat(name, signal) {
      const url = `${urlOf(name)}?fields=${FIELDS}`;
      const { size, modifiedAt } = readObject(
        (await client.request({ method: "GET", url, signal })).data,
      );
      return { size, modifiedAt };
    },
    async open(name, { start, end, version }, signal) {
      const isWhole = start === 0 && end === undefined;
      const headers = isWhole ? {} : { range: `bytes=${start}-${end ?? ""}` };
      const generation = version === undefined ? "" : `&generation=${version}`;
      const url = `${urlOf(name)}?alt=media${generation}`;
      const answer = await client.request({ method: "GET", url, headers, streamed: true, signal });
      const size = answer.headers.get("content-length");
      const sent = answer.headers.get("x-goog-generation");
      return {
        chunks: streamOf(answer.data),
        ...(size !== null && { size: Number(size) }),
        ...(sent !== null && { version: sent }),
      };
    },
    async list(prefix, pageToken, signal) {
      const query = new URLSearchParams({
        prefix,
        maxResults: String(LIST_PAGE),
        fields: `items(${FIELDS}),nextPageToken`,
        ...(pageToken !== undefined && { pageToken }),
      });
      const url = `${client.objects}?${query.toString()}`;
      const page = readPage((await client.request({ method: "GET", url, signal })).data);
      const objects = page.objects.map(({ name, size, modifiedAt }) => ({
        name,
        size,
        modifiedAt,
      }));
      return { objects, next: page.nextPageToken };
    },
    delete: (name, signal) => client.request({ method: "DELETE", url: urlOf(name), signal }),
    copy: (from, to) => copyObject(parts, from, to),
    presign: isSigning
      ? (name, expiresInMs) => client.presign(name, new Date(Date.now() + expiresInMs))
      : undefined,
    isMissing,
    isPastEnd,
  });
  return { ...store, write: createObjectWriter(parts) };
}

async function lookInside(
  { client, names, calls }: GoogleParts,
  config: GoogleConfig,
): Promise<void> {
  const query = new URLSearchParams({ prefix: names.listed(""), maxResults: "1", fields: "kind" });
  const action = `list the bucket ${config.bucket}`;
  const refusal = await calls.run({ action }, async (signal) => {
    try {
      await client.request({ method: "GET", url: `${client.objects}?${query.toString()}`, signal });
      return undefined;
    } catch (error) {
      if (isBucketMissing(error)) {
        return new StorageSettingError(
          "Storage__Bucket",
          `there is no bucket "${config.bucket}"; create it: ` +
            `gcloud storage buckets create gs://${config.bucket}`,
        );
      }
      if (isRefused(error)) return refusedCredentials(config, client.hint);
      throw error;
    }
  });
  if (refusal) throw refusal;
}

/** Credentials from a metadata server may lack the right to sign. */
async function canPresign({ client, calls, limits }: GoogleParts): Promise<boolean> {
  const timeoutMs = Math.min(limits.timeoutMs ?? SIGN_TIMEOUT_MS, SIGN_TIMEOUT_MS);
  const call = { action: "sign an address", timeoutMs };
  return calls.run(call, () => client.canSign()).catch(() => false);
}

function streamOf(data: unknown): AsyncIterable<Uint8Array> {
  if (typeof data === "object" && data !== null && Symbol.asyncIterator in data) {
    return data as AsyncIterable<Uint8Array>;
  }
  throw new TypeError("the client gave no stream");
}

/** Copies inside the service, in as many steps as it asks for. */
async function copyObject(parts: GoogleParts, from: ObjectKey, to: ObjectKey): Promise<void> {
  const { client, names, calls } = parts;
  const [source, target] = [from, to].map((key) => encodeURIComponent(names.nameOf(key)));
  const copy = `${client.objects}/${source}/rewriteTo/b/${client.bucket}/o/${target}`;
  let token: string | undefined;
  do {
    const url = token === undefined ? copy : `${copy}?rewriteToken=${encodeURIComponent(token)}`;
    const call = { action: `move ${from} to ${to}`, timeoutMs: COPY_TIMEOUT_MS };
    const step = await calls.run(call, (signal) => client.request({ method: "POST", url, signal }));
    token = readRewrite(step.data);
  } while (token !== undefined);
}
