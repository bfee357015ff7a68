import { crc32, inflateRawSync } from "node:zlib";

/** Both well under a millisecond, which is less than streaming so little costs. */
export const AT_ONCE = { packedBytes: 64 * 1024, unpackedBytes: 256 * 1024 };

const TRAILER_BYTES = 8;

/**
 * Unpacks a small file that is exactly one gzip member, whose header ends at `headerBytes`.
 * Undefined when it unpacks to more than `unpackedBytesMax`, and for invalid files: the streaming
 * reader reports their faults.
 */
export function gunzipAtOnce(
  file: Buffer,
  headerBytes: number,
  unpackedBytesMax: number,
): Buffer | undefined {
  const data = file.subarray(headerBytes, -TRAILER_BYTES);
  const checksum = file.readUInt32LE(file.length - TRAILER_BYTES);
  const size = file.readUInt32LE(file.length - TRAILER_BYTES + 4);
  if (size === 0 || size > Math.min(unpackedBytesMax, AT_ONCE.unpackedBytes)) return undefined;
  const unpacked = inflated(data, size);
  const isWhole = unpacked?.bytes.length === size && unpacked.taken === data.length;
  return isWhole && crc32(unpacked.bytes) === checksum ? unpacked.bytes : undefined;
}

function inflated(data: Buffer, size: number): { bytes: Buffer; taken: number } | undefined {
  try {
    // A byte more, so that the end of the data is seen with the last of its bytes.
    const options = { info: true, chunkSize: Math.max(64, size + 1), maxOutputLength: size };
    const { buffer, engine } = Object(inflateRawSync(data, options));
    return { bytes: buffer, taken: engine.bytesWritten };
  } catch {
    return undefined;
  }
}
