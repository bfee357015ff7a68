import { randomUUID } from "node:crypto";
import type { CompletedPart, HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import { guardedBody, StorageError } from "@sealhouse/storage-providers";
import type { ObjectKey, ObjectStore, WriteOutcome } from "@sealhouse/storage-providers";
import { blocksOf, collectedBody } from "@sealhouse/storage-providers/remote";
import type { Block } from "@sealhouse/storage-providers/remote";
import { isExisting, isMissing, isUploadMissing } from "./s3-error.ts";
import type { S3Parts } from "./s3-parts.ts";
import { abortUpload } from "./unfinished-uploads.ts";

const MIB = 1024 * 1024;
const FIRST_PART_BYTES = 8 * MIB;
/** An upload has at most 10,000 parts. With this growth, they hold more than the 5 TiB of S3. */
const PARTS_PER_SIZE = 1_000;
const SENT_AT_ONCE = 2;
const PART_TIMEOUT_MS = 120_000;
/** Some services join the parts of a large object before they answer. */
const COMPLETE_TIMEOUT_MS = 10 * 60 * 1000;
/** The metadata of a write, by which a repeated attempt recognizes its own object. */
const WRITE_ID = "sealhousewrite";

/** Creates the `write` of a store. */
export function createObjectWriter(parts: S3Parts): ObjectStore["write"] {
  return async (key, body, { existing, ...limits }) => {
    limits.signal?.throwIfAborted();
    const { uploadTimeoutMs = PART_TIMEOUT_MS } = parts.limits;
    const write: Write = {
      key,
      parts,
      target: { Bucket: parts.bucket, Key: parts.names.nameOf(key) },
      id: randomUUID(),
      call: { action: `write ${key}`, signal: limits.signal, timeoutMs: uploadTimeoutMs },
    };
    if (existing === "keep") return create(write, await collectedBody(body, limits));
    return replace(write, guardedBody(body, limits));
  };
}

type Write = {
  readonly key: ObjectKey;
  readonly parts: S3Parts;
  readonly target: { readonly Bucket: string; readonly Key: string };
  readonly id: string;
  readonly call: {
    readonly action: string;
    readonly signal: AbortSignal | undefined;
    readonly timeoutMs: number;
  };
};

/** One conditional request. An attempt whose answer was lost may have been the one that created. */
async function create(write: Write, bytes: Buffer): Promise<WriteOutcome> {
  const { parts, target, id, call } = write;
  return parts.calls.run(call, async (abortSignal, number) => {
    try {
      await parts.s3.putObject(
        { ...target, Body: bytes, IfNoneMatch: "*", Metadata: { [WRITE_ID]: id } },
        { abortSignal },
      );
    } catch (error) {
      if (!isExisting(error)) throw error;
      const isOwn = number > 1 && (await isOwnObject(write, abortSignal));
      if (!isOwn) return { status: "exists" };
    }
    return { status: "written", size: bytes.length };
  });
}

/** A body of one part is one request; a larger one is a multipart upload. */
async function replace(write: Write, body: AsyncIterable<Uint8Array>): Promise<WriteOutcome> {
  const upload = createUpload(write);
  try {
    for await (const block of blocksOf(body, partBytes)) {
      if (block.isLast && upload.isEmpty()) return await putWhole(write, block.bytes);
      await upload.add(block);
    }
    await upload.complete();
  } catch (error) {
    await upload.discard();
    throw error;
  }
  await checkSize(write, upload.size());
  return { status: "written", size: upload.size() };
}

/** Bytes of a part by its index, from 0. */
export function partBytes(index: number): number {
  return FIRST_PART_BYTES * 2 ** Math.floor(index / PARTS_PER_SIZE);
}

async function putWhole({ parts, target, call }: Write, bytes: Uint8Array): Promise<WriteOutcome> {
  await parts.calls.run(call, (abortSignal) =>
    parts.s3.putObject({ ...target, Body: bytes }, { abortSignal }),
  );
  return { status: "written", size: bytes.length };
}

/** Sends parts, `SENT_AT_ONCE` at a time. */
function createUpload(write: Write) {
  const { key, parts, target, id, call } = write;
  const { s3, calls } = parts;
  const failed = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, failed.signal]) : failed.signal;
  const sent: CompletedPart[] = [];
  const running = new Set<Promise<void>>();
  let uploadId: string | undefined;
  let count = 0;
  let size = 0;

  const begin = async (): Promise<string> => {
    const answer = await calls.run(call, (abortSignal) =>
      s3.createMultipartUpload({ ...target, Metadata: { [WRITE_ID]: id } }, { abortSignal }),
    );
    return required(answer.UploadId, "id of the upload");
  };

  const send = async ({ bytes, release }: Block, partNumber: number): Promise<void> => {
    const part = { ...target, UploadId: uploadId, PartNumber: partNumber };
    const { ETag } = await calls.run({ ...call, signal }, (abortSignal) =>
      s3.uploadPart({ ...part, Body: bytes }, { abortSignal }),
    );
    sent.push({ PartNumber: partNumber, ETag: required(ETag, "entity tag of a part") });
    release();
  };

  return {
    size: () => size,
    isEmpty: () => count === 0,
    async add(block: Block): Promise<void> {
      uploadId ??= await begin();
      while (running.size >= SENT_AT_ONCE) await Promise.race(running);
      count += 1;
      size += block.bytes.length;
      const sending = send(block, count);
      running.add(sending);
      sending.then(
        () => running.delete(sending),
        () => undefined,
      );
    },
    async complete(): Promise<void> {
      await Promise.all(running);
      const Parts = sent.toSorted(({ PartNumber: a = 0 }, { PartNumber: b = 0 }) => a - b);
      const completion = { ...target, UploadId: uploadId, MultipartUpload: { Parts } };
      const completing = { ...call, timeoutMs: Math.max(call.timeoutMs, COMPLETE_TIMEOUT_MS) };
      await calls.run(completing, async (abortSignal, number) => {
        try {
          await s3.completeMultipartUpload(completion, { abortSignal });
        } catch (error) {
          // An earlier attempt, whose answer was lost, completed the upload.
          const isOwn =
            number > 1 && isUploadMissing(error) && (await isOwnObject(write, abortSignal));
          if (!isOwn) throw error;
        }
      });
    },
    /** Ends the requests and removes the parts. A sweep removes those that remain. */
    async discard(): Promise<void> {
      failed.abort(new StorageError("storage-unavailable", `cannot write ${key}: given up`));
      await Promise.allSettled(running);
      if (uploadId === undefined) return;
      await abortUpload(parts, { name: target.Key, uploadId }).catch(() => undefined);
    },
  };
}

function required(value: string | undefined, what: string): string {
  if (value !== undefined && value !== "") return value;
  throw new StorageError("storage-unavailable", `the service sent no ${what}`);
}

/** Compares what the service has put together with what it got. */
async function checkSize(write: Write, size: number): Promise<void> {
  const { key, parts, target, call } = write;
  const { s3, calls } = parts;
  const stored = await calls.run(call, (abortSignal) => headOf(write, abortSignal));
  // Another writer has replaced or deleted the object since.
  if (!stored || writeIdOf(stored) !== write.id || stored.ContentLength === size) return;
  await calls.run(call, (abortSignal) => s3.deleteObject(target, { abortSignal }));
  throw new StorageError(
    "storage-unavailable",
    `cannot write ${key}: the service stored ${stored.ContentLength} of ${size} bytes`,
  );
}

async function isOwnObject(write: Write, abortSignal: AbortSignal): Promise<boolean> {
  const head = await headOf(write, abortSignal);
  return head !== undefined && writeIdOf(head) === write.id;
}

async function headOf(
  { parts, target }: Write,
  abortSignal: AbortSignal,
): Promise<HeadObjectCommandOutput | undefined> {
  try {
    return await parts.s3.headObject(target, { abortSignal });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function writeIdOf({ Metadata }: HeadObjectCommandOutput): string | undefined {
  return Metadata?.[WRITE_ID];
}
