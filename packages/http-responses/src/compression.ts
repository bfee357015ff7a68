import { promisify } from "node:util";
// Not by name: an older Node has no zstd, and must get as far as the check of its version.
import zlib from "node:zlib";

/** Minimum size for compression in bytes. Smaller bodies save less than the header costs. */
export const COMPRESSED_MIN_BYTES = 1024;

const GZIP = { level: 6 };
const ZSTD = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 3 } };

const gzip = promisify(zlib.gzip);
const zstd = promisify(zlib.zstdCompress);

/** Compresses in another thread. */
export const compress = {
  gzip: (bytes: Uint8Array) => gzip(bytes, GZIP),
  zstd: (bytes: Uint8Array) => zstd(bytes, ZSTD),
} as const;

/** Compresses in this thread. */
export const compressAtOnce = {
  gzip: (bytes: Uint8Array) => zlib.gzipSync(bytes, GZIP),
  zstd: (bytes: Uint8Array) => zlib.zstdCompressSync(bytes, ZSTD),
} as const;
