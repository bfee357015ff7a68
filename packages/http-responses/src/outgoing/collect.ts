import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import type { CallFailure } from "./call-error.ts";
import type { Answer } from "./exchange.ts";
import { createLimit } from "./limit.ts";

export type CollectOptions = { readonly maxBytes: number; readonly failure: CallFailure };

const unpack = promisify(gunzip);
/** Up to these sizes, decompression in this thread is cheaper than a call to another thread. */
const AT_ONCE = { packedBytes: 16 * 1024, bytes: 64 * 1024 };

const LARGE_BYTES = 8 * 1024 * 1024;
/** A few bytes may become a large document, so one is decompressed at a time. */
const oneLarge = createLimit(1);

/** The complete body of an answer. */
export type Received = {
  readonly bytes: Uint8Array;
  /** The same with gzip, if the server sent that. */
  readonly gzip?: Uint8Array;
};

/** Reads the complete body of an answer, and decompresses gzip.
 * @throws {CallError} `too-large`, including after decompression; `malformed` for damaged gzip */
export async function collect(answer: Answer, options: CollectOptions): Promise<Uint8Array> {
  return (await receive(answer, options)).bytes;
}

/** The same for bytes that are kept: with gzip, where the server sent them so. */
export async function receive(answer: Answer, options: CollectOptions): Promise<Received> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > options.maxBytes) throw tooLarge(answer, options);
    chunks.push(chunk);
  }
  const sent = Buffer.concat(chunks, size);
  const bytes = await unpacked(sent, answer, options);
  return bytes === sent ? { bytes } : { bytes, gzip: sent };
}

/** Some implementations of `fetch` decompress and some do not. The first bytes distinguish them:
 * neither JSON nor text begins like gzip. */
async function unpacked(
  bytes: Uint8Array,
  answer: Answer,
  options: CollectOptions,
): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const small = smallUnpacked(bytes, options);
  if (small) return small;
  try {
    return await inflated(bytes, options.maxBytes);
  } catch (cause) {
    if (isTooLarge(cause)) throw tooLarge(answer, options);
    const reason = "the answer is damaged (gzip)";
    throw options.failure("malformed", { url: answer.url, reason, cause });
  }
}

/** Undefined for larger bytes, and for damaged ones. */
function smallUnpacked(bytes: Uint8Array, { maxBytes }: CollectOptions): Uint8Array | undefined {
  if (bytes.length > AT_ONCE.packedBytes) return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(maxBytes, AT_ONCE.bytes) });
  } catch {
    return undefined;
  }
}

async function inflated(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await unpack(bytes, { maxOutputLength: Math.min(maxBytes, LARGE_BYTES) });
  } catch (error) {
    if (maxBytes <= LARGE_BYTES || !isTooLarge(error)) throw error;
  }
  return oneLarge(() => unpack(bytes, { maxOutputLength: maxBytes }));
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

function tooLarge({ url }: Answer, { maxBytes, failure }: CollectOptions): Error {
  return failure("too-large", { url, reason: `has more than ${maxBytes} bytes` });
}
