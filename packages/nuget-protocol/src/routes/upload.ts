import { answerThenDrain, declaredLength, requestBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import { tooLarge } from "../errors.ts";
import { errorResponse, nugetErrorOf } from "../respond.ts";

/** Bytes of the multipart form in addition to the file. */
const FORM_BYTES_MAX = 64 * 1024;

/** `dotnet` reads an answer only after it has sent the whole package, and shows "Broken pipe" when
 * the connection closes before that. */
const DRAIN_LIMITS = { maxBytes: 2 * 1024 ** 3, timeoutMs: 60_000 };

/**
 * The body of a push, including the form, when it can contain at most one file of `maxBytes`.
 * @throws {NuGetError} `too-large` at once, when the header of the request announces more
 */
export function uploadOf(c: Context, maxBytes: number | undefined): AsyncIterable<Uint8Array> {
  if (maxBytes === undefined) return requestBody(c);
  if ((declaredLength(c) ?? 0) > maxBytes + FORM_BYTES_MAX) throw tooLarge(maxBytes);
  return requestBody(c, { maxBytes: maxBytes + FORM_BYTES_MAX });
}

/** Clients read the answer only after their body is sent, so a refusal reads it to its end. */
export async function answerUpload(c: Context, take: () => Promise<Response>): Promise<Response> {
  try {
    return await take();
  } catch (error) {
    const known = nugetErrorOf(error);
    if (!known) throw error;
    return answerThenDrain(c, errorResponse(c, known), DRAIN_LIMITS);
  }
}
