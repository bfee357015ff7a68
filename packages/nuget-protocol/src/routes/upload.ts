import {
  answerThenDrain,
  declaredLength,
  errorCodeOf,
  requestBody,
} from "@sealhouse/http-responses";
import type { Context } from "hono";
import { tooLarge } from "../errors.ts";
import type { NuGetError } from "../errors.ts";
import { errorResponse } from "../respond.ts";

/** Bytes of the multipart form in addition to the file. */
const FORM_BYTES_MAX = 64 * 1024;

/** `dotnet` reads an answer only after it has sent the whole package, and shows "Broken pipe" when
 * the connection closes before that. The time without a minimum rate is one minute. */
const DRAIN_LIMITS = { maxBytes: 2 * 1024 ** 3, timeoutMs: 60_000, isAtBodyPace: true };

/**
 * The body of a push, including the form, when it can contain at most one file of `maxBytes`.
 * @throws {NuGetError} `too-large` at once, when the header of the request announces more
 */
export function uploadOf(c: Context, maxBytes: number | undefined): AsyncIterable<Uint8Array> {
  if (maxBytes === undefined) return requestBody(c);
  if ((declaredLength(c) ?? 0) > maxBytes + FORM_BYTES_MAX) throw tooLarge(maxBytes);
  return withLimitInError(requestBody(c, { maxBytes: maxBytes + FORM_BYTES_MAX }), maxBytes);
}

/** The error of a chunked body that is too large has no limit that a person can act on. */
async function* withLimitInError(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw errorCodeOf(error) === "body-too-large" ? tooLarge(maxBytes) : error;
  }
}

/** Sends the answer to an error. For a request with a body, then reads that body to its end. */
export function answerError(c: Context, error: NuGetError): Response | Promise<Response> {
  const answer = errorResponse(c, error);
  const hasBody = c.req.method !== "GET" && c.req.method !== "HEAD";
  return hasBody ? answerThenDrain(c, answer, DRAIN_LIMITS) : answer;
}
