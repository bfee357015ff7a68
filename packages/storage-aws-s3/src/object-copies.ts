import type { CompletedPart, HeadObjectCommandOutput } from "@aws-sdk/client-s3";
import { StorageError } from "@sealhouse/storage-providers";
import type { ObjectKey } from "@sealhouse/storage-providers";
import type { S3Parts } from "./s3-parts.ts";
import { abortUpload } from "./unfinished-uploads.ts";

const GIB = 1024 * 1024 * 1024;
/** Bytes of the largest object that S3 copies in one request. */
const COPY_BYTES_MAX = 5 * GIB;
const PART_BYTES = GIB;
/** Milliseconds that a copy may take: within one region, S3 copies without moving the bytes. */
const COPY_TIMEOUT_MS = 10 * 60 * 1000;

type Copy = {
  readonly parts: S3Parts;
  readonly source: { readonly name: string; readonly size: number; readonly etag: string };
  readonly target: { readonly Bucket: string; readonly Key: string };
  readonly call: { readonly action: string; readonly timeoutMs: number };
};

/**
 * Copies an object inside the bucket, as a new one: in one request, or in parts above 5 GiB.
 * Rejects with `storage-not-found` when the source does not exist.
 */
export async function copyObject(parts: S3Parts, from: ObjectKey, to: ObjectKey): Promise<void> {
  const { s3, bucket, names, calls, limits } = parts;
  const action = `move ${from} to ${to}`;
  const name = names.nameOf(from);
  const { ContentLength: size = 0, ETag: etag }: HeadObjectCommandOutput = await calls.run(
    { action },
    (abortSignal) => s3.headObject({ Bucket: bucket, Key: name }, { abortSignal }),
  );
  if (etag === undefined) {
    throw new StorageError("storage-unavailable", `cannot ${action}: it has no entity tag`);
  }
  const copy: Copy = {
    parts,
    source: { name, size, etag },
    target: { Bucket: bucket, Key: names.nameOf(to) },
    call: { action, timeoutMs: COPY_TIMEOUT_MS },
  };
  const { copyBytes = COPY_BYTES_MAX } = limits;
  await (size <= copyBytes ? copyWhole(copy) : copyInParts(copy, Math.min(copyBytes, PART_BYTES)));
}

function sourceOf({ parts, source }: Copy) {
  const path = source.name.split("/").map(encodeURIComponent).join("/");
  return { CopySource: `${parts.bucket}/${path}`, CopySourceIfMatch: source.etag };
}

async function copyWhole(copy: Copy): Promise<void> {
  const { parts, target, call } = copy;
  const request = { ...target, ...sourceOf(copy) };
  await parts.calls.run(call, (abortSignal) => parts.s3.copyObject(request, { abortSignal }));
}

async function copyInParts(copy: Copy, partBytes: number): Promise<void> {
  const { parts, source, target, call } = copy;
  const { s3, calls } = parts;
  const { UploadId: uploadId = "" } = await calls.run(call, (abortSignal) =>
    s3.createMultipartUpload(target, { abortSignal }),
  );
  const copied: CompletedPart[] = [];
  try {
    for (let start = 0; start < source.size; start += partBytes) {
      const end = Math.min(start + partBytes, source.size) - 1;
      const request = {
        ...target,
        ...sourceOf(copy),
        CopySourceRange: `bytes=${start}-${end}`,
        UploadId: uploadId,
        PartNumber: copied.length + 1,
      };
      const { CopyPartResult } = await calls.run(call, (abortSignal) =>
        s3.uploadPartCopy(request, { abortSignal }),
      );
      copied.push({ PartNumber: request.PartNumber, ETag: CopyPartResult?.ETag });
    }
    const completion = { ...target, UploadId: uploadId, MultipartUpload: { Parts: copied } };
    await calls.run(call, (abortSignal) => s3.completeMultipartUpload(completion, { abortSignal }));
  } catch (error) {
    await abortUpload(parts, { name: target.Key, uploadId }).catch(() => undefined);
    throw error;
  }
}
