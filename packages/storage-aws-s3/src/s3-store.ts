import { Readable } from "node:stream";
import type { ObjectStore } from "@sealhouse/storage-providers";
import {
  createKeyPrefix,
  createRemoteStore,
  createServiceCalls,
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
  const { s3, bucket: Bucket } = parts;
  const store = createRemoteStore(parts, {
    async stat(Key, abortSignal) {
      const { ContentLength: size = 0, LastModified: modifiedAt = new Date(0) } =
        await s3.headObject({ Bucket, Key }, { abortSignal });
      return { size, modifiedAt };
    },
    async open(Key, { start, end, version }, abortSignal) {
      const isWhole = start === 0 && end === undefined;
      const request = {
        Bucket,
        Key,
        ...(!isWhole && { Range: `bytes=${start}-${end ?? ""}` }),
        ...(version !== undefined && { IfMatch: version }),
      };
      const { Body, ContentLength, ETag } = await s3.getObject(request, { abortSignal });
      if (!(Body instanceof Readable)) throw new TypeError("the SDK gave no stream");
      return {
        chunks: Body,
        ...(ContentLength !== undefined && { size: ContentLength }),
        ...(ETag !== undefined && { version: ETag }),
      };
    },
    async list(Prefix, ContinuationToken, abortSignal) {
      const token = ContinuationToken === undefined ? {} : { ContinuationToken };
      const request = { Bucket, Prefix, MaxKeys: LIST_PAGE, ...token };
      const page = await s3.listObjectsV2(request, { abortSignal });
      const objects = (page.Contents ?? []).map(
        ({ Key: name = "", Size: size = 0, LastModified: modifiedAt = new Date(0) }) => ({
          name,
          size,
          modifiedAt,
        }),
      );
      return { objects, next: page.IsTruncated ? page.NextContinuationToken : undefined };
    },
    // AWS answers 204 for an object that does not exist; some other stores answer 404.
    delete: (Key, abortSignal) => s3.deleteObject({ Bucket, Key }, { abortSignal }),
    copy: (from, to) => copyObject(parts, from, to),
    presign(name, expiresInMs) {
      const seconds = Math.min(Math.max(Math.ceil(expiresInMs / 1000), 1), SIGNED_SECONDS_MAX);
      return connection.presign(name, seconds);
    },
    isMissing,
    isPastEnd,
  });
  return {
    ...store,
    write: createObjectWriter(parts),
    unfinished: unfinishedUploads(parts),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      connection[Symbol.dispose]();
    },
  };
}
