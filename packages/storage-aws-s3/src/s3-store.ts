import { Readable } from "node:stream";
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
import { checkBucket } from "./bucket-check.ts";
import { copyObject } from "./object-copies.ts";
import { createObjectWriter } from "./object-writer.ts";
import { connectS3 } from "./s3-client.ts";
import type { S3Connection } from "./s3-client.ts";
import type { S3Config, S3Options } from "./s3-config.ts";
import { isMissing, isPastEnd, s3Errors } from "./s3-error.ts";
import type { S3Limits, S3Parts } from "./s3-parts.ts";
import { unfinishedUploads } from "./unfinished-uploads.ts";

const LIST_PAGE = 1000;
/** Seconds that a signature may be valid: seven days. */
const SIGNED_SECONDS_MAX = 7 * 24 * 60 * 60;

/**
 * Opens a bucket, and looks into it once.
 *
 * @throws {StorageSettingError} when the bucket does not exist, is in another region, refuses the
 *   credentials or ignores conditions of a write
 * @throws {StorageError} when the service is unavailable
 */
export async function openS3Store(options: S3Options, limits: S3Limits = {}): Promise<ObjectStore> {
  const config = { forcePathStyle: false, credentials: { type: "default" }, ...options } as const;
  const names = createKeyPrefix(config.prefix);
  const connection = await connectS3(config);
  const { s3, hint } = connection;
  const calls = createServiceCalls(
    s3Errors({ credentials: hint, address: addressHint(config) }),
    limits,
  );
  const parts: S3Parts = { s3, bucket: config.bucket, names, calls, limits };
  try {
    await checkBucket(parts, config, hint);
    return storeOf(parts, connection);
  } catch (error) {
    calls[Symbol.dispose]();
    connection[Symbol.dispose]();
    throw error;
  }
}

function addressHint({ endpoint, forcePathStyle }: S3Config): string {
  if (endpoint === undefined) return "the network and Storage__Region";
  return forcePathStyle
    ? "Storage__ServiceUrl"
    : "Storage__ServiceUrl, or set Storage__ForcePathStyle=true";
}

function storeOf(parts: S3Parts, connection: S3Connection): ObjectStore {
  const { names, calls } = parts;
  const stat = (key: ObjectKey) => statObject(parts, key);
  const bytes: ObjectStore["bytes"] = (key, range, options) =>
    readObject(parts, key, { range, ...options });
  return {
    copiesOnMove: true,
    stat,
    bytes,
    async read(key, range) {
      const info = await stat(key);
      return info && { info, body: bytes(key, range) };
    },
    write: createObjectWriter(parts),
    async move(from, to) {
      await copyObject(parts, from, to);
      await deleteObject(parts, from);
    },
    delete: (key) => deleteObject(parts, key),
    list: (prefix) => listObjects(parts, prefix),
    unfinished: unfinishedUploads(parts),
    presign(key, { expiresInMs }) {
      const seconds = Math.min(Math.max(Math.ceil(expiresInMs / 1000), 1), SIGNED_SECONDS_MAX);
      return calls.run({ action: `sign an address of ${key}` }, () =>
        connection.presign(names.nameOf(key), seconds),
      );
    },
    async [Symbol.asyncDispose]() {
      calls[Symbol.dispose]();
      connection[Symbol.dispose]();
    },
  };
}

async function statObject(
  { s3, bucket, names, calls }: S3Parts,
  key: ObjectKey,
): Promise<ObjectInfo | undefined> {
  const object = { Bucket: bucket, Key: names.nameOf(key) };
  return calls.run({ action: `look up ${key}` }, async (abortSignal) => {
    try {
      const { ContentLength: size = 0, LastModified: modifiedAt = new Date(0) } =
        await s3.headObject(object, { abortSignal });
      return { key, size, modifiedAt };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

function readObject(
  { s3, bucket, names, calls, limits }: S3Parts,
  key: ObjectKey,
  { range, reuse }: ReadOptions & { readonly range: ByteRange | undefined },
): AsyncIterable<Uint8Array> {
  const object = { Bucket: bucket, Key: names.nameOf(key) };
  const { idleMs } = limits;
  return resumedBody(calls, {
    action: `read ${key}`,
    range,
    reuse,
    ...(idleMs !== undefined && { idleMs }),
    async open({ start, end, version }, abortSignal) {
      const isWhole = start === 0 && end === undefined;
      const request = {
        ...object,
        ...(!isWhole && { Range: `bytes=${start}-${end ?? ""}` }),
        ...(version !== undefined && { IfMatch: version }),
      };
      try {
        const { Body, ContentLength, ETag } = await s3.getObject(request, { abortSignal });
        if (!(Body instanceof Readable)) throw new TypeError("the SDK gave no stream");
        return {
          chunks: Body,
          ...(ContentLength !== undefined && { size: ContentLength }),
          ...(ETag !== undefined && { version: ETag }),
        };
      } catch (error) {
        if (isPastEnd(error)) return undefined;
        throw error;
      }
    },
  });
}

async function deleteObject({ s3, bucket, names, calls }: S3Parts, key: ObjectKey): Promise<void> {
  const object = { Bucket: bucket, Key: names.nameOf(key) };
  await calls.run({ action: `delete ${key}` }, async (abortSignal) => {
    try {
      await s3.deleteObject(object, { abortSignal });
    } catch (error) {
      // AWS answers 204; some other stores answer 404.
      if (!isMissing(error)) throw error;
    }
  });
}

async function* listObjects(
  { s3, bucket, names, calls }: S3Parts,
  prefix: string,
): AsyncGenerator<ObjectInfo, void, undefined> {
  const action = prefix === "" ? "list all objects" : `list ${prefix}`;
  let token: string | undefined;
  do {
    const request = {
      Bucket: bucket,
      Prefix: names.listed(prefix),
      MaxKeys: LIST_PAGE,
      ...(token !== undefined && { ContinuationToken: token }),
    };
    const page = await calls.run({ action }, (abortSignal) =>
      s3.listObjectsV2(request, { abortSignal }),
    );
    for (const { Key: name = "", Size: size = 0, LastModified } of page.Contents ?? []) {
      const key = names.keyOf(name);
      if (key !== undefined) yield { key, size, modifiedAt: LastModified ?? new Date(0) };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}
