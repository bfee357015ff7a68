import { redirectDownload, sendBytes } from "@sealhouse/http-responses";
import { requireNamed, requirePull } from "../access.ts";
import { VERSION_HEADERS, sendNothing } from "../answer.ts";
import type { Call } from "../call.ts";
import { parseDigest } from "../digest.ts";
import { OciError } from "../errors.ts";
import type { RepositoryRoute } from "../route.ts";

type BlobRoute = Extract<RepositoryRoute, { type: "blob" }>;

/** Answers `/v2/<name>/blobs/<digest>`. */
export async function answerBlob(call: Call, route: BlobRoute): Promise<Response> {
  return call.c.req.method === "DELETE" ? deleteBlob(call, route) : readBlob(call, route);
}

async function readBlob(call: Call, { name, digest: text }: BlobRoute): Promise<Response> {
  await requirePull(call, name);
  const digest = parseDigest(text);
  const { blobs, files } = call.registry.ports;
  const isHead = call.c.req.method === "HEAD";
  const blob = await blobs.find(name, digest, isHead ? { method: "HEAD" } : {});
  const stored = blob && !blob.content ? blob : undefined;
  // After a 200 to HEAD, the client does not upload the blob, so its bytes must be readable.
  if (!blob || (isHead && stored && !(await files.isPresent(stored)))) throw unknown(digest);
  const headers = { ...VERSION_HEADERS, "docker-content-digest": digest };
  const address = () => stored && files.address?.(stored);
  const elsewhere = await redirectDownload(call.c, { etag: digest, status: 307, headers, address });
  if (elsewhere) return elsewhere;
  return sendBytes(call.c, blob.content ?? files.open(blob), {
    contentType: "application/octet-stream",
    etag: digest,
    cacheControl: immutable(call),
    headers,
  });
}

/** Removes the link of this repository. The collector deletes the bytes. */
async function deleteBlob(call: Call, { name, digest: text }: BlobRoute): Promise<Response> {
  const { caller } = await requireNamed(call, { action: "delete", repository: name });
  const digest = parseDigest(text);
  const { blobs } = call.registry.ports;
  switch (await blobs.unlink(name, digest, caller)) {
    case "unlinked":
      return sendNothing(call.c, 202, {});
    case "absent":
      throw unknown(digest);
    case "referenced":
      throw new OciError("UNSUPPORTED", {
        message: "a manifest of this repository needs the blob; delete the manifest first",
        details: [{ digest }],
        headers: { allow: "GET, HEAD" },
      });
    case "held":
      throw heldError(digest);
  }
}

/** Returns the refusal for a digest that a hold protects (rule R3). */
export function heldError(digest: string): OciError {
  return new OciError("DENIED", {
    message: "cannot delete: a hold protects this digest or an index that lists it",
    details: [{ digest }],
  });
}

/** Returns the `Cache-Control` of content under its digest, which never changes. `no-transform`:
 * compression by proxies or middleware would change the length that clients check. */
export function immutable({ c }: Call): string {
  return immutableFor(c.req.header("authorization"));
}

export function immutableFor(authorization: string | undefined): string {
  const audience = authorization === undefined ? "public" : "private";
  return `${audience}, max-age=31536000, immutable, no-transform`;
}

function unknown(digest: string): OciError {
  return new OciError("BLOB_UNKNOWN", { details: [{ digest }] });
}
