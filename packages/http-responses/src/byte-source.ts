/** `end` is inclusive, as in RFC 9110 section 14.1.2. */
export type ByteRange = { readonly start: number; readonly end: number };

export type ReadOptions = {
  /** Allows the source to overwrite a chunk as soon as the next one is asked for. */
  readonly reuse?: boolean;
};

/** Bytes of a known size that can be read again, whole or in part. */
export type ByteSource = {
  readonly size: number;
  /** Opens nothing before the first chunk is asked for; leaving the loop early closes it again. */
  read(range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>;
};
