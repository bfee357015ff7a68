import { crc32, createInflateRaw } from "node:zlib";
import type { InflateRaw } from "node:zlib";
import { AT_ONCE, gunzipAtOnce } from "./gunzip-at-once.ts";
import { refused } from "./refused.ts";

export type GunzipLimits = {
  readonly unpackedBytes: number;
  /** Unpacked to packed; counts only beyond `ratioFromBytes`, for text packs well. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
};

const TRAILER_BYTES = 8;
const HEADER_BYTES_MAX = 64 * 1024;
const FLAGS = { headerChecksum: 2, extra: 4, name: 8, comment: 16, unknown: 0xe0 };

/**
 * Unpacks a file that is exactly one gzip member (RFC 1952). Several members and bytes behind the
 * member are refused: clients disagree about them, so what one checks is not what another installs.
 * `packedBytes` is the size of the file. Throws `NpmError` `tarball-refused`.
 */
export async function* gunzip(
  file: AsyncIterable<Uint8Array>,
  packedBytes: number,
  limits: GunzipLimits,
): AsyncGenerator<Uint8Array> {
  if (packedBytes > AT_ONCE.packedBytes) return yield* gunzipStream(file, packedBytes, limits);
  const chunks = await Array.fromAsync(file);
  const [first] = chunks;
  const whole = chunks.length === 1 && first ? bufferOf(first) : Buffer.concat(chunks);
  const headerBytes = headerSizeOf(whole) ?? Number.POSITIVE_INFINITY;
  const unpackedBytesMax = Math.min(limits.unpackedBytes, limits.ratioFromBytes);
  const unpacked =
    whole.length === packedBytes && headerBytes + TRAILER_BYTES < packedBytes
      ? gunzipAtOnce(whole, headerBytes, unpackedBytesMax)
      : undefined;
  if (unpacked) yield unpacked;
  else yield* gunzipStream(streamed(chunks), packedBytes, limits);
}

async function* gunzipStream(
  file: AsyncIterable<Uint8Array>,
  packedBytes: number,
  limits: GunzipLimits,
): AsyncGenerator<Uint8Array> {
  const input = inputOver(file);
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 });
  try {
    const header = await readHeader(input);
    const feeding = feed(input, header.rest, inflate);
    let size = 0;
    let checksum = 0;
    for await (const chunk of readable(inflate)) {
      size += chunk.length;
      checkSize(size, packedBytes, limits);
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    await feeding;
    const behind = packedBytes - header.size - inflate.bytesWritten;
    if (behind < TRAILER_BYTES) throw refused("is cut off");
    if (behind > TRAILER_BYTES) {
      throw refused("has bytes behind its gzip data, or several gzip members");
    }
    await checkTrailer(input, checksum, size);
  } finally {
    inflate.destroy();
    await input.close();
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

async function* streamed(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

type Input = {
  /** The next chunk, or undefined at the end of the file. */
  next(): Promise<Buffer | undefined>;
  /** The last eight bytes that `next` has given. */
  readonly tail: () => Buffer;
  close(): Promise<void>;
};

function inputOver(file: AsyncIterable<Uint8Array>): Input {
  const chunks = file[Symbol.asyncIterator]();
  let tail = Buffer.alloc(0);
  return {
    async next() {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      const chunk = bufferOf(value);
      const last = chunk.subarray(Math.max(0, chunk.length - TRAILER_BYTES));
      tail = Buffer.concat([tail, last]).subarray(-TRAILER_BYTES);
      return chunk;
    },
    tail: () => tail,
    close: async () => void (await chunks.return?.()),
  };
}

async function readHeader(input: Input): Promise<{ size: number; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const size = headerSizeOf(bytes);
    if (size !== undefined) return { size, rest: bytes.subarray(size) };
    const chunk = bytes.length > HEADER_BYTES_MAX ? undefined : await input.next();
    if (!chunk) throw refused("has no complete gzip header");
    bytes = Buffer.concat([bytes, chunk]);
  }
}

/** Undefined while bytes are missing. */
function headerSizeOf(bytes: Buffer): number | undefined {
  if (bytes.length < 10) return undefined;
  const flags = bytes.readUInt8(3);
  if (bytes.readUIntBE(0, 3) !== 0x1f8b08 || flags & FLAGS.unknown) throw refused("is not gzip");
  let index = 10;
  if (flags & FLAGS.extra) {
    if (bytes.length < index + 2) return undefined;
    index += 2 + bytes.readUInt16LE(index);
  }
  for (const flag of [FLAGS.name, FLAGS.comment]) {
    if (!(flags & flag)) continue;
    const end = bytes.indexOf(0, index);
    if (end === -1) return undefined;
    index = end + 1;
  }
  if (flags & FLAGS.headerChecksum) index += 2;
  return index <= bytes.length ? index : undefined;
}

/** Writes until the file or the deflate data ends, whichever is first. */
async function feed(input: Input, first: Buffer, inflate: InflateRaw): Promise<void> {
  try {
    for (let chunk: Buffer | undefined = first; chunk; chunk = await input.next()) {
      if (inflate.readableEnded || inflate.destroyed) return;
      if (!inflate.write(chunk)) await drained(inflate);
    }
    inflate.end();
  } catch (error) {
    inflate.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function drained(inflate: InflateRaw): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    for (const event of ["drain", "end", "close"]) inflate.off(event, done);
    resolve();
  };
  for (const event of ["drain", "end", "close"]) inflate.once(event, done);
  if (inflate.destroyed || inflate.readableEnded || !inflate.writableNeedDrain) done();
  return promise;
}

async function* readable(inflate: InflateRaw): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
  } catch (error) {
    if (!(error instanceof Error) || !("errno" in error)) throw error;
    throw refused("is damaged: its gzip data cannot be unpacked", error);
  }
}

function checkSize(size: number, packedBytes: number, limits: GunzipLimits): void {
  if (size > limits.unpackedBytes) {
    throw refused(`unpacks to more than ${Math.floor(limits.unpackedBytes / 2 ** 20)} MiB`);
  }
  if (size > limits.ratioFromBytes && size > packedBytes * limits.ratio) {
    throw refused(`unpacks to more than ${limits.ratio} times its size`);
  }
}

async function checkTrailer(input: Input, checksum: number, size: number): Promise<void> {
  while (await input.next());
  const tail = input.tail();
  if (tail.readUInt32LE(0) !== checksum || tail.readUInt32LE(4) !== size % 2 ** 32) {
    throw refused("is damaged: its gzip checksum is wrong");
  }
}
