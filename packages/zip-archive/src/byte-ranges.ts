import { ZipError } from "./zip-error.ts";

/** Bytes of a known size that can be read in parts, any number of times. */
export type ByteRanges = {
  readonly size: number;
  /** `end` is inclusive. */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
};

/**
 * Reads a small part of a file into memory.
 * @throws {ZipError} with the problem `truncated` when the file is shorter
 */
export async function readRange(
  source: ByteRanges,
  start: number,
  length: number,
): Promise<Buffer<ArrayBuffer>> {
  if (length === 0) return Buffer.alloc(0);
  if (start < 0 || start + length > source.size) throw tooShort();
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for await (const chunk of source.read({ start, end: start + length - 1 })) {
    // A source that gives more than it was asked for is not what its size says.
    if (filled + chunk.length > length) throw tooShort();
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw tooShort();
  return bytes;
}

function tooShort(): ZipError {
  return new ZipError("truncated", "The file ends before its content does.");
}
