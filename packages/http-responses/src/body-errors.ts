import { errorCodeOf } from "./error-code.ts";

/** The client went away, or its body ended before its end: what was read is not the whole. */
export class BodyCutError extends Error {
  override readonly name = "BodyCutError";
  readonly code = "body-cut";
}

/** The client sends its body more slowly than is allowed. Answer 408 and close the connection. */
export class BodyTooSlowError extends Error {
  override readonly name = "BodyTooSlowError";
  readonly code = "body-too-slow";

  constructor(bytesPerSecond: number, windowMs: number) {
    const seconds = Math.max(1, Math.round(windowMs / 1_000));
    super(
      `The request body came too slowly: this registry wants ${bytesPerSecond} bytes per second ` +
        `on average over ${seconds} s. Nothing was stored.`,
    );
  }
}

/** The body has, or says it has, more bytes than the route takes. Answer 413. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  readonly code = "body-too-large";
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the request body is larger than the ${maxBytes} bytes allowed here`);
    this.maxBytes = maxBytes;
  }
}

/** The body is not in the encoding its `Content-Encoding` names, or in one we do not read. */
export class BodyEncodingError extends Error {
  override readonly name = "BodyEncodingError";
  readonly code = "body-encoding";
}

export type BodyError = BodyCutError | BodyEncodingError | BodyTooLargeError | BodyTooSlowError;

const BODY_CODES: ReadonlySet<string> = new Set<BodyError["code"]>([
  "body-cut",
  "body-encoding",
  "body-too-large",
  "body-too-slow",
]);

/** The error as one of those above, told by its `code`. */
export function bodyErrorOf(error: unknown): BodyError | undefined {
  return BODY_CODES.has(errorCodeOf(error) ?? "") ? (error as BodyError) : undefined;
}
