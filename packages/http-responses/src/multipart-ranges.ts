import type { ByteRange, ByteSource, ReadOptions } from "./byte-range.ts";

/** A body of `multipart/byteranges` (RFC 9110 section 14.6). */
export type Multipart = {
  readonly contentType: string;
  /** Bytes of the whole body. */
  readonly length: number;
  readonly parts: readonly MultipartPart[];
  /** Text after the last part. */
  readonly end: string;
};

type MultipartPart = {
  /** Text before the bytes of the part. */
  readonly head: string;
  readonly range: ByteRange;
};

type MultipartOptions = {
  /** Content type of the complete representation. */
  readonly contentType: string;
  readonly size: number;
  /** Random text that the bytes do not contain. */
  readonly boundary: string;
};

export function multipartOf(
  ranges: readonly ByteRange[],
  { contentType, size, boundary }: MultipartOptions,
): Multipart {
  const parts = ranges.map((range, index) => ({
    range,
    head:
      `${index === 0 ? "" : "\r\n"}--${boundary}\r\ncontent-type: ${contentType}\r\n` +
      `content-range: bytes ${range.start}-${range.end}/${size}\r\n\r\n`,
  }));
  const end = `\r\n--${boundary}--\r\n`;
  let length = end.length;
  for (const { head, range } of parts) length += head.length + range.end - range.start + 1;
  return { contentType: `multipart/byteranges; boundary=${boundary}`, length, parts, end };
}

/** Yields the body; opens one range of the source at a time. Opens the first range before the first
 * chunk, so that a source that cannot be opened fails before anything is sent. */
export async function* readMultipart(
  source: ByteSource,
  { parts, end }: Multipart,
  options?: ReadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { head, range } of parts) {
    let left = range.end - range.start + 1;
    let before: Uint8Array | undefined = Buffer.from(head, "latin1");
    for await (const chunk of source.read(range, options)) {
      if (before) yield before;
      before = undefined;
      left -= chunk.length;
      if (left < 0) break;
      yield chunk;
    }
    if (left !== 0) throw new Error(`the source has not the bytes ${range.start}-${range.end}`);
  }
  yield Buffer.from(end, "latin1");
}

/** Returns the complete body, from bytes that are in memory. */
export function joinMultipart(bytes: Uint8Array, { parts, end }: Multipart): Uint8Array {
  const pieces = parts.flatMap(({ head, range }) => [
    Buffer.from(head, "latin1"),
    bytes.subarray(range.start, range.end + 1),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end, "latin1")]);
}
