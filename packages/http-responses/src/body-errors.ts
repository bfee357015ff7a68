/** The client disconnected, or ended the body early: the bytes that were read are incomplete. */
export class ClientDisconnectedError extends Error {
  override readonly name = "ClientDisconnectedError";
  readonly code = "body-cut";
}

/** The client sends its body below the minimum rate. Answer 408 and close the connection. */
export class BodyTooSlowError extends Error {
  override readonly name = "BodyTooSlowError";
  readonly code = "body-too-slow";

  constructor(bytesPerSecond: number, windowMs: number) {
    const seconds = Math.max(1, Math.round(windowMs / 1_000));
    super(
      `The request body arrived too slowly: this registry requires ${bytesPerSecond} bytes per ` +
        `second on average over ${seconds} s. Nothing was stored.`,
    );
  }
}

/** The body, or its declared length, exceeds the limit of the route. Answer 413. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  readonly code = "body-too-large";
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the request body is larger than the maximum of ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** The body does not match its `Content-Encoding`, or the encoding is not supported. */
export class BodyEncodingError extends Error {
  override readonly name = "BodyEncodingError";
  readonly code = "body-encoding";
}

/** Any error that reading a request body may throw. */
export type BodyError =
  | ClientDisconnectedError
  | BodyEncodingError
  | BodyTooLargeError
  | BodyTooSlowError;

const BODY_CODES: ReadonlySet<string> = new Set<BodyError["code"]>([
  "body-cut",
  "body-encoding",
  "body-too-large",
  "body-too-slow",
]);

/** Returns the error as a `BodyError`, identified by its `code`; undefined for other errors. */
export function bodyErrorOf(error: unknown): BodyError | undefined {
  return BODY_CODES.has(errorCodeOf(error) ?? "") ? (error as BodyError) : undefined;
}

/** Returns the `code` of an error; undefined for errors without a string code. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
