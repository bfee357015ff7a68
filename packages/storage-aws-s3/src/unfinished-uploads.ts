import type { ListMultipartUploadsCommandOutput } from "@aws-sdk/client-s3";
import type { UnfinishedWrite, UnfinishedWrites } from "@sealhouse/storage-providers";
import { isUploadMissing } from "./s3-error.ts";
import type { S3Parts } from "./s3-parts.ts";

const LIST_PAGE = 1000;
/** Separates the name of an object and the id of its upload. No key contains it. */
const SEPARATOR = "?";

/** A multipart upload: the name of its object in the bucket, and its id. */
export type UploadName = { readonly name: string; readonly uploadId: string };

/** Multipart uploads that were neither completed nor aborted. */
export function unfinishedUploads(parts: S3Parts): UnfinishedWrites {
  return {
    list: () => listUploads(parts),
    async delete(text) {
      const [name = "", uploadId = ""] = text.split(SEPARATOR);
      if (uploadId === "" || parts.names.keyOf(name) === undefined) return;
      await abortUpload(parts, { name, uploadId });
    },
  };
}

/** Removes the parts of an upload; succeeds when it was completed or aborted. */
export async function abortUpload(
  { s3, bucket, calls }: S3Parts,
  { name, uploadId }: UploadName,
): Promise<void> {
  const upload = { Bucket: bucket, Key: name, UploadId: uploadId };
  await calls.run({ action: `remove the unfinished write of ${name}` }, async (abortSignal) => {
    try {
      await s3.abortMultipartUpload(upload, { abortSignal });
    } catch (error) {
      if (!isUploadMissing(error)) throw error;
    }
  });
}

async function* listUploads(parts: S3Parts): AsyncGenerator<UnfinishedWrite, void, undefined> {
  const { s3, bucket, names, calls } = parts;
  let keyMarker: string | undefined;
  let idMarker: string | undefined;
  do {
    const request = {
      Bucket: bucket,
      Prefix: names.listed(""),
      MaxUploads: LIST_PAGE,
      ...(keyMarker !== undefined && { KeyMarker: keyMarker }),
      ...(idMarker !== undefined && { UploadIdMarker: idMarker }),
    };
    const page: ListMultipartUploadsCommandOutput = await calls.run(
      { action: "list unfinished writes" },
      (abortSignal) => s3.listMultipartUploads(request, { abortSignal }),
    );
    for (const { Key: name = "", UploadId: uploadId = "", Initiated } of page.Uploads ?? []) {
      if (uploadId === "" || names.keyOf(name) === undefined) continue;
      const write = await sizeOfUpload(parts, { name, uploadId }, Initiated ?? new Date(0));
      if (write) yield write;
    }
    keyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
    idMarker = page.NextUploadIdMarker;
  } while (keyMarker !== undefined);
}

/** Undefined when the upload was completed or aborted since. */
async function sizeOfUpload(
  { s3, bucket, calls }: S3Parts,
  { name, uploadId }: UploadName,
  initiatedAt: Date,
): Promise<UnfinishedWrite | undefined> {
  let size = 0;
  let modifiedAt = initiatedAt;
  let marker: string | undefined;
  do {
    const request = {
      Bucket: bucket,
      Key: name,
      UploadId: uploadId,
      ...(marker !== undefined && { PartNumberMarker: marker }),
    };
    const action = `list the parts of ${name}`;
    const page = await calls.run({ action }, async (abortSignal) => {
      try {
        return await s3.listParts(request, { abortSignal });
      } catch (error) {
        if (isUploadMissing(error)) return undefined;
        throw error;
      }
    });
    if (!page) return undefined;
    for (const { Size = 0, LastModified = initiatedAt } of page.Parts ?? []) {
      size += Size;
      if (LastModified > modifiedAt) modifiedAt = LastModified;
    }
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return { name: `${name}${SEPARATOR}${uploadId}`, size, modifiedAt };
}
