import { createHash } from "node:crypto";
import type { Answer, RetryOptions } from "@sealhouse/http-responses/outgoing";
import { CallError, unreachable } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../digest.ts";
import { algorithmOf } from "../digest.ts";
import { OciClientError } from "./client-error.ts";
import { refusalOf } from "./read-answer.ts";

type ExpectedContent = {
  readonly digest: Digest;
  readonly size: number | undefined;
  /** Name of the content for the error message. */
  readonly url: URL;
};

/**
 * The same chunks; the last step fails when they differ from the expected digest.
 * @throws {OciClientError} `mismatch`, as soon as there are too many bytes
 */
export async function* verified(
  body: AsyncIterable<Uint8Array>,
  { digest, size, url }: ExpectedContent,
): AsyncGenerator<Uint8Array, void, undefined> {
  const algorithm = algorithmOf(digest);
  const hash = createHash(algorithm);
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > (size ?? Infinity)) {
      throw new OciClientError("mismatch", { url, reason: `has more than ${size} bytes` });
    }
    hash.update(chunk);
    yield chunk;
  }
  const got = `${algorithm}:${hash.digest("hex")}`;
  if (got === digest && received === (size ?? received)) return;
  const reason = `gave ${received} bytes with ${got} instead of ${digest}`;
  throw new OciClientError("mismatch", { url, reason });
}

type Resuming = {
  readonly size: number | undefined;
  /** The rest, from this byte on. */
  readonly from: (offset: number) => Promise<Answer>;
  readonly retry: RetryOptions;
  readonly signal: AbortSignal | undefined;
};

const PIECES_MAX = 5;
const PAUSE_MS = 500;

/** Resumes an interrupted answer, in five pieces at most. */
export async function* resumed(
  first: Answer,
  { size, from, retry, signal }: Resuming,
): AsyncGenerator<Uint8Array, void, undefined> {
  let answer = first;
  let received = 0;
  for (let piece = 1; ; piece++) {
    let cause: unknown;
    try {
      // A server without ranges gives everything again.
      const isRest = answer === first || answer.status === 206;
      for await (const chunk of isRest ? answer.body : without(received, answer.body)) {
        received += chunk.length;
        yield chunk;
      }
      if (size === undefined) return;
    } catch (error) {
      cause = error;
    }
    signal?.throwIfAborted();
    // Whether it is the right bytes is the digest's to say, however the connection ended.
    if (size !== undefined && received >= size) return;
    if (cause instanceof CallError) throw cause;
    const broken = cause ?? new Error(`ended after ${received} of ${size} bytes`);
    if (piece === PIECES_MAX) throw unreachable(first.url, broken, retry);
    await retry.wait(PAUSE_MS * piece, signal);
    answer = await from(received);
    await checkPiece(answer, received);
  }
}

/** All but the first bytes. */
async function* without(
  bytes: number,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes;
  for await (const chunk of body) {
    const rest = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

async function checkPiece(answer: Answer, offset: number): Promise<void> {
  const { url, status, headers } = answer;
  if (status === 200) return;
  if (status !== 206) throw await refusalOf(answer);
  const range = headers.get("content-range") ?? "";
  if (range.startsWith(`bytes ${offset}-`)) return;
  await answer.cancel();
  const reason = `gave "${range.slice(0, 100)}" when asked for bytes from ${offset} on`;
  throw new OciClientError("malformed", { url, reason });
}
