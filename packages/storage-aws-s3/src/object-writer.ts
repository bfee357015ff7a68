import { randomUUID } from "node:crypto";
import type { CompletedPart, HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import { StorageError } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";
import { createOnce, createRemoteWriter } from "@sealhouse/storage-providers/remote";
import type { BlockUpload, WriteCall } from "@sealhouse/storage-providers/remote";
import { isExisting, isMissing, isUploadMissing } from "./s3-error.ts";
import type { S3Parts } from "./s3-parts.ts";
import { abortUpload } from "./unfinished-uploads.ts";

const MIB = 1024 * 1024;
const FIRST_PART_BYTES = 8 * MIB;
/** An upload has at most 10,000 parts. With this growth, they hold more than the 5 TiB of S3. */
const PARTS_PER_SIZE = 1_000;
const SENT_AT_ONCE = 2;
/** Some services join the parts of a large object before they answer. */
const COMPLETE_TIMEOUT_MS = 10 * 60 * 1000;
/** The metadata of a write, by which a repeated attempt recognizes its own object. */
const WRITE_ID = "sealhousewrite";

type Target = { readonly Bucket: string; readonly Key: string };

/** Creates the `write` of a store. */
export function createObjectWriter(parts: S3Parts): ObjectStore["write"] {
  const { s3, bucket, calls, names } = parts;
  return createRemoteWriter(parts, { bytesOf: partBytes, atOnce: SENT_AT_ONCE }, (key, call) => {
    const target: Target = { Bucket: bucket, Key: names.nameOf(key) };
    return {
      create: (bytes) =>
        createOnce(calls, call, bytes, {
          create: (Body, id, abortSignal) =>
            s3.putObject(
              { ...target, Body, IfNoneMatch: "*", Metadata: { [WRITE_ID]: id } },
              { abortSignal },
            ),
          storedId: async (signal) => writeIdOf(await headOf(parts, target, signal)),
          isExisting,
        }),
      replace: (Body, abortSignal) => s3.putObject({ ...target, Body }, { abortSignal }),
      begin: () => beginUpload(parts, target, call),
    };
  });
}

/** Bytes of a part by its index, from 0. */
export function partBytes(index: number): number {
  return FIRST_PART_BYTES * 2 ** Math.floor(index / PARTS_PER_SIZE);
}

/** Begins a multipart upload. */
async function beginUpload(parts: S3Parts, target: Target, call: WriteCall): Promise<BlockUpload> {
  const { s3, calls } = parts;
  const id = randomUUID();
  const sent: CompletedPart[] = [];
  const answer = await calls.run(call, (abortSignal) =>
    s3.createMultipartUpload({ ...target, Metadata: { [WRITE_ID]: id } }, { abortSignal }),
  );
  const uploadId = required(answer.UploadId, "id of the upload");
  return {
    async send({ bytes }, index, partCall) {
      const part = { ...target, UploadId: uploadId, PartNumber: index + 1 };
      const { ETag } = await calls.run(partCall, (abortSignal) =>
        s3.uploadPart({ ...part, Body: bytes }, { abortSignal }),
      );
      sent.push({ PartNumber: index + 1, ETag: required(ETag, "entity tag of a part") });
    },
    async complete(size) {
      const Parts = sent.toSorted(({ PartNumber: a = 0 }, { PartNumber: b = 0 }) => a - b);
      const completion = { ...target, UploadId: uploadId, MultipartUpload: { Parts } };
      const completing = { ...call, timeoutMs: Math.max(call.timeoutMs, COMPLETE_TIMEOUT_MS) };
      await calls.run(completing, async (abortSignal, number) => {
        try {
          await s3.completeMultipartUpload(completion, { abortSignal });
        } catch (error) {
          // An earlier attempt, whose answer was lost, completed the upload.
          const isOwn =
            number > 1 &&
            isUploadMissing(error) &&
            writeIdOf(await headOf(parts, target, abortSignal)) === id;
          if (!isOwn) throw error;
        }
      });
      await checkSize(parts, target, { call, id, size });
    },
    discard: () => abortUpload(parts, { name: target.Key, uploadId }),
  };
}

function required(value: string | undefined, what: string): string {
  if (value !== undefined && value !== "") return value;
  throw new StorageError("storage-unavailable", `the service sent no ${what}`);
}

/** Compares what the service has put together with what it got. */
async function checkSize(
  parts: S3Parts,
  target: Target,
  { call, id, size }: { readonly call: WriteCall; readonly id: string; readonly size: number },
): Promise<void> {
  const { s3, calls } = parts;
  const stored = await calls.run(call, (abortSignal) => headOf(parts, target, abortSignal));
  // Another writer has replaced or deleted the object since.
  if (!stored || writeIdOf(stored) !== id || stored.ContentLength === size) return;
  await calls.run(call, (abortSignal) => s3.deleteObject(target, { abortSignal }));
  throw new StorageError(
    "storage-unavailable",
    `cannot ${call.action}: the service stored ${stored.ContentLength} of ${size} bytes`,
  );
}

async function headOf(
  { s3 }: S3Parts,
  target: Target,
  abortSignal: AbortSignal,
): Promise<HeadObjectCommandOutput | undefined> {
  try {
    return await s3.headObject(target, { abortSignal });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function writeIdOf(head: HeadObjectCommandOutput | undefined): string | undefined {
  return head?.Metadata?.[WRITE_ID];
}
