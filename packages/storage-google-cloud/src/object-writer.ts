import { randomUUID } from "node:crypto";
import type { ObjectStore, WriteOutcome } from "@sealhouse/storage-providers";
import { createRemoteWriter } from "@sealhouse/storage-providers/remote";
import { readObject } from "./answers.ts";
import { isExisting, isMissing } from "./google-error.ts";
import type { GoogleParts, Upload } from "./google-parts.ts";
import { openUpload } from "./resumable-upload.ts";

/** A multiple of 256 KiB, as Google requires; its advice is 8 MiB or more. */
const PART_BYTES = 8 * 1024 * 1024;
/** The metadata of a create-only write, which tells a repeated attempt its own object. */
const WRITE_ID = "sealhouse-write";

/** Creates the `write` of a store. */
export function createObjectWriter(parts: GoogleParts): ObjectStore["write"] {
  const { client, names } = parts;
  // Parts go one after another; the next one fills in the meantime.
  return createRemoteWriter(parts, { bytesOf: () => PART_BYTES, atOnce: 1 }, (key, call) => {
    const upload: Upload = { ...parts, name: names.nameOf(key), call };
    return {
      create: (bytes) => create(upload, bytes),
      replace(bytes, signal) {
        const query = new URLSearchParams({
          uploadType: "media",
          name: upload.name,
          fields: "size",
        });
        return client.request({
          method: "POST",
          url: `${client.uploads}?${query.toString()}`,
          headers: { "content-type": "application/octet-stream" },
          body: bytes,
          signal,
        });
      },
      async begin() {
        const session = await openUpload(upload, {});
        return {
          send: (block, _index, partCall) => session.send(block, partCall),
          complete: async () => undefined,
          discard: () => session.cancel(),
        };
      },
    };
  });
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
