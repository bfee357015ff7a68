/** `end` is inclusive, as in RFC 9110 section 14.1.2. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Options of `ByteSource.read`. */
export type ReadOptions = {
  /** Allows the source to overwrite a chunk as soon as the caller requests the next one. */
  readonly reuse?: boolean;
};

/** Bytes of a known size that can be read again, whole or in part. */
export type ByteSource = {
  readonly size: number;
  /** Opens the source at the first chunk. Leaving the loop early closes it. */
  read(range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
};
