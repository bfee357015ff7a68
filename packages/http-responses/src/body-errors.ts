/** The client went away, or its body ended before its end: what was read is not the whole. */
export class BodyCutError extends Error {
  override readonly name = "BodyCutError";
}

/** The body has, or says it has, more bytes than the route takes. Answer 413. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the request body is larger than the ${maxBytes} bytes allowed here`);
    this.maxBytes = maxBytes;
  }
}

/** The body is not in the encoding its `Content-Encoding` names, or in one we do not read. */
export class BodyEncodingError extends Error {
  override readonly name = "BodyEncodingError";
}
