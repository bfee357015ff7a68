import { randomUUID } from "node:crypto";
import { guardedBody } from "@sealhouse/storage-providers";
import type { ObjectStore, WriteOutcome } from "@sealhouse/storage-providers";
import { blocksOf, collectedBody } from "@sealhouse/storage-providers/remote";
import { readObject } from "./answers.ts";
import { isExisting, isMissing } from "./google-error.ts";
import type { GoogleParts, Upload } from "./google-parts.ts";
import { openUpload } from "./resumable-upload.ts";

/** A multiple of 256 KiB, as Google requires; its advice is 8 MiB or more. */
const PART_BYTES = 8 * 1024 * 1024;
const PART_TIMEOUT_MS = 120_000;
/** The metadata of a create-only write, which tells a repeated attempt its own object. */
const WRITE_ID = "sealhouse-write";

/** Creates the `write` of a store. */
export function createObjectWriter(parts: GoogleParts): ObjectStore["write"] {
  return async (key, body, { existing, ...limits }) => {
    limits.signal?.throwIfAborted();
    const timeoutMs = parts.limits.uploadTimeoutMs ?? PART_TIMEOUT_MS;
    const call = { action: `write ${key}`, signal: limits.signal, timeoutMs };
    const upload: Upload = { ...parts, name: parts.names.nameOf(key), call };
    if (existing === "keep") return create(upload, await collectedBody(body, limits));
    return replace(upload, guardedBody(body, limits));
  };
}

/** Conditional. An attempt whose answer was lost may have been the one that created the object. */
async function create(upload: Upload, bytes: Buffer): Promise<WriteOutcome> {
  const id = randomUUID();
  const { calls, call } = upload;
  try {
    const session = await openUpload(upload, { condition: "absent", metadata: { [WRITE_ID]: id } });
    await session.send({ bytes, isLast: true });
  } catch (error) {
    if (!isExisting(error)) throw calls.errors.describe(error, call.action);
    if ((await writeIdOf(upload)) !== id) return { status: "exists" };
  }
  return { status: "written", size: bytes.length };
}

async function writeIdOf({ client, name, calls, call }: Upload): Promise<string | undefined> {
  const url = `${client.objects}/${encodeURIComponent(name)}`;
  return calls.run(call, async (signal) => {
    try {
      return readObject((await client.request({ method: "GET", url, signal })).data).metadata[
        WRITE_ID
      ];
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

/** A body of one part is one request; a larger one is a resumable upload. */
async function replace(upload: Upload, body: AsyncIterable<Uint8Array>): Promise<WriteOutcome> {
  let session: Awaited<ReturnType<typeof openUpload>> | undefined;
  let size = 0;
  let sending: Promise<void> | undefined;
  try {
    for await (const block of blocksOf(body, () => PART_BYTES)) {
      if (block.isLast && !session) {
        await putWhole(upload, block.bytes);
        return { status: "written", size: block.bytes.length };
      }
      session ??= await openUpload(upload, {});
      // Parts go one after another; the next one fills in the meantime.
      await sending;
      size += block.bytes.length;
      sending = session.send(block).then(block.release);
      sending.catch(() => undefined);
    }
    await sending;
  } catch (error) {
    await session?.cancel();
    throw upload.calls.errors.describe(error, upload.call.action);
  }
  return { status: "written", size };
}

async function putWhole({ client, name, calls, call }: Upload, bytes: Uint8Array): Promise<void> {
  const query = new URLSearchParams({ uploadType: "media", name, fields: "size" });
  await calls.run(call, (signal) =>
    client.request({
      method: "POST",
      url: `${client.uploads}?${query.toString()}`,
      headers: { "content-type": "application/octet-stream" },
      body: bytes,
      signal,
    }),
  );
}
