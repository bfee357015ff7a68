import { StorageError } from "@sealhouse/storage-providers";
import type { GoogleAnswer } from "./google-client.ts";
import { isExisting, isSessionLost } from "./google-error.ts";
import type { Upload } from "./google-parts.ts";
import type { WriteCall } from "@sealhouse/storage-providers/remote";

/** Options of `openUpload`. */
export type UploadOptions = {
  /** Creates the object only when none has the name. */
  readonly condition?: "absent";
  readonly metadata?: Readonly<Record<string, string>>;
};

/** A part of a body. Its size is a multiple of 256 KiB, but for the last. */
export type Part = { readonly bytes: Uint8Array; readonly isLast: boolean };

/** A session of a resumable upload. The object appears with the last part. */
export type ResumableUpload = {
  /** Sends a part. After a lost connection it asks what has arrived, and sends the rest. */
  send(part: Part, call?: WriteCall): Promise<void>;
  /** Ends the session, so that Google keeps none of its bytes. Does not reject. */
  cancel(): Promise<void>;
};

/** Milliseconds to end a session: it expires by itself after a week. */
const CANCEL_TIMEOUT_MS = 10_000;

/**
 * Opens a session. Rejects with the error of the client, for which `isExisting` is true when the
 * condition is not met; so does `send`.
 */
export async function openUpload(
  upload: Upload,
  { condition, metadata }: UploadOptions,
): Promise<ResumableUpload> {
  const { client, calls, call, name } = upload;
  const query = new URLSearchParams({ uploadType: "resumable", name });
  if (condition === "absent") query.set("ifGenerationMatch", "0");
  const opened = await passExisting(upload, (signal) =>
    client.request({
      method: "POST",
      url: `${client.uploads}?${query.toString()}`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ contentType: "application/octet-stream", metadata }),
      signal,
    }),
  );
  const session = opened.headers.get("location");
  if (session === null) {
    throw new StorageError("storage-unavailable", `cannot ${call.action}: no upload session`);
  }
  let offset = 0;
  return {
    async send({ bytes, isLast }, partCall = call) {
      const end = offset + bytes.length;
      const total = isLast ? String(end) : "*";
      await passExisting({ calls, call: partCall }, async (signal, number) => {
        const put = (range: string, body: Uint8Array) =>
          client
            .request({
              method: "PUT",
              url: session,
              headers: { "content-range": `bytes ${range}/${total}` },
              body,
              signal,
            })
            .catch((error: unknown) => {
              throw isSessionLost(error) ? lostSession(call.action) : error;
            });
        const start =
          number === 1 ? offset : await arrivedIn(await put("*", new Uint8Array()), end);
        if (start < offset) throw lostBytes(call.action);
        if (start === end && !(isLast && bytes.length === 0 && number === 1)) return;
        const rest = bytes.subarray(start - offset);
        const range = rest.length === 0 ? "*" : `${start}-${end - 1}`;
        const arrived = await arrivedIn(await put(range, rest), end);
        if (arrived < end) throw new PartlyStoredError();
      });
      offset = end;
    },
    async cancel() {
      const ending = { action: call.action, timeoutMs: CANCEL_TIMEOUT_MS };
      await calls
        .run(ending, async (signal) => {
          await client.request({ method: "DELETE", url: session, signal });
        })
        .catch(() => undefined);
    },
  };
}

/** Google stored only some of a part, which it may do. The next attempt sends the rest. */
class PartlyStoredError extends Error {
  override readonly name = "PartlyStoredError";
  readonly code = "EPARTIAL";
}

/** Number of bytes that have arrived; `end` when the object is complete. */
async function arrivedIn({ status, headers }: GoogleAnswer, end: number): Promise<number> {
  if (status !== 308) return end;
  const last = /^bytes=0-(\d+)$/.exec(headers.get("range") ?? "")?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}

function lostBytes(action: string): StorageError {
  return new StorageError("storage-unavailable", `cannot ${action}: Google lost stored bytes`);
}

function lostSession(action: string): StorageError {
  return new StorageError("storage-unavailable", `cannot ${action}: Google dropped the session`);
}

/** Runs a call, but passes the error of a failed condition on unchanged. */
async function passExisting<T>(
  { calls, call }: Pick<Upload, "calls" | "call">,
  attempt: (signal: AbortSignal, number: number) => Promise<T>,
): Promise<T> {
  const outcome = await calls.run(call, async (signal, number) => {
    try {
      return { value: await attempt(signal, number) };
    } catch (error) {
      if (isExisting(error)) return { error };
      throw error;
    }
  });
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}
