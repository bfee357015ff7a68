import { StorageSettingError } from "@sealhouse/storage-providers";
import type {
  ByteRange,
  ObjectInfo,
  ObjectKey,
  ObjectStore,
  ReadOptions,
} from "@sealhouse/storage-providers";
import {
  createKeyPrefix,
  createServiceCalls,
  resumedBody,
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
  const { client, names, calls } = parts;
  const stat = (key: ObjectKey) => statObject(parts, key);
  const bytes: ObjectStore["bytes"] = (key, range, options) =>
    readBytes(parts, key, { range, ...options });
  return {
    copiesOnMove: true,
    stat,
    bytes,
    async read(key, range) {
      const info = await stat(key);
      return info && { info, body: bytes(key, range) };
    },
    write: createObjectWriter(parts),
    move: (from, to) => moveObject(parts, from, to),
    delete: (key) => deleteObject(parts, key),
    list: (prefix) => listObjects(parts, prefix),
    ...(isSigning && {
      presign: (key: ObjectKey, { expiresInMs }: { readonly expiresInMs: number }) =>
        calls.run({ action: `sign an address of ${key}` }, () =>
          client.presign(names.nameOf(key), new Date(Date.now() + expiresInMs)),
        ),
    }),
    async [Symbol.asyncDispose]() {
      calls[Symbol.dispose]();
    },
  };
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

async function statObject(
  { client, names, calls }: GoogleParts,
  key: ObjectKey,
): Promise<ObjectInfo | undefined> {
  const url = `${client.objects}/${encodeURIComponent(names.nameOf(key))}?fields=${FIELDS}`;
  return calls.run({ action: `look up ${key}` }, async (signal) => {
    try {
      const { size, modifiedAt } = readObject(
        (await client.request({ method: "GET", url, signal })).data,
      );
      return { key, size, modifiedAt };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

function readBytes(
  { client, names, calls, limits }: GoogleParts,
  key: ObjectKey,
  { range, reuse }: ReadOptions & { readonly range: ByteRange | undefined },
): AsyncIterable<Uint8Array> {
  const { idleMs } = limits;
  const object = `${client.objects}/${encodeURIComponent(names.nameOf(key))}?alt=media`;
  return resumedBody(calls, {
    action: `read ${key}`,
    range,
    reuse,
    ...(idleMs !== undefined && { idleMs }),
    async open({ start, end, version }, signal) {
      const isWhole = start === 0 && end === undefined;
      const headers = isWhole ? {} : { range: `bytes=${start}-${end ?? ""}` };
      const url = version === undefined ? object : `${object}&generation=${version}`;
      try {
        const answer = await client.request({
          method: "GET",
          url,
          headers,
          streamed: true,
          signal,
        });
        const size = answer.headers.get("content-length");
        const generation = answer.headers.get("x-goog-generation");
        return {
          chunks: streamOf(answer.data),
          ...(size !== null && { size: Number(size) }),
          ...(generation !== null && { version: generation }),
        };
      } catch (error) {
        if (isPastEnd(error)) return undefined;
        throw error;
      }
    },
  });
}

function streamOf(data: unknown): AsyncIterable<Uint8Array> {
  if (typeof data === "object" && data !== null && Symbol.asyncIterator in data) {
    return data as AsyncIterable<Uint8Array>;
  }
  throw new TypeError("the client gave no stream");
}

/** Copies inside the service, in as many steps as it asks for, and deletes the source. */
async function moveObject(parts: GoogleParts, from: ObjectKey, to: ObjectKey): Promise<void> {
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
  await deleteObject(parts, from);
}

async function deleteObject({ client, names, calls }: GoogleParts, key: ObjectKey): Promise<void> {
  const url = `${client.objects}/${encodeURIComponent(names.nameOf(key))}`;
  await calls.run({ action: `delete ${key}` }, async (signal) => {
    try {
      await client.request({ method: "DELETE", url, signal });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  });
}

async function* listObjects(
  { client, names, calls }: GoogleParts,
  prefix: string,
): AsyncGenerator<ObjectInfo, void, undefined> {
  const action = prefix === "" ? "list all objects" : `list ${prefix}`;
  const query = new URLSearchParams({
    prefix: names.listed(prefix),
    maxResults: String(LIST_PAGE),
    fields: `items(${FIELDS}),nextPageToken`,
  });
  for (;;) {
    const url = `${client.objects}?${query.toString()}`;
    const answer = await calls.run({ action }, (signal) =>
      client.request({ method: "GET", url, signal }),
    );
    const page = readPage(answer.data);
    for (const { name, size, modifiedAt } of page.objects) {
      const key = names.keyOf(name);
      if (key !== undefined) yield { key, size, modifiedAt };
    }
    if (page.nextPageToken === undefined) return;
    query.set("pageToken", page.nextPageToken);
  }
}
