import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Context } from "hono";
import {
  ClientDisconnectedError,
  BodyEncodingError,
  BodyTooLargeError,
  BodyTooSlowError,
} from "./body-errors.ts";
import { atPace } from "./body-pace.ts";
import { nodeOf } from "./node-context.ts";
import type { NodePair } from "./node-context.ts";

/** Options for reading a request body. */
export type BodyOptions = {
  /** More bytes, before or after inflating, reject with `BodyTooLargeError`. */
  readonly maxBytes?: number;
  /** Decompresses bodies with `Content-Encoding: gzip`. When false, the bytes are returned as sent.
   * Also set `maxBytes`: a few bytes can inflate to very many. */
  readonly inflate?: boolean;
};

/**
 * Returns the request body, which can be iterated once, with back-pressure to the socket. Leaving
 * the loop early keeps the connection open, so that the caller can still answer an error. A body
 * that ends normally is complete: the loop throws `ClientDisconnectedError` if the client
 * disconnects early.
 * It throws `BodyTooSlowError` if the environment has a `bodyPace` and the client sends below it.
 */
export function requestBody(
  c: Context,
  { maxBytes = Number.POSITIVE_INFINITY, inflate = false }: BodyOptions = {},
): AsyncIterable<Uint8Array> {
  const node = nodeOf(c);
  const declared = declaredLength(c) ?? 0;
  const raw = node ? nodeBody(node) : webBody(c.req.raw);
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? "identity";
  const capped = atMost(raw, maxBytes, declared);
  if (!inflate || encoding === "identity" || encoding === "") return capped;
  return atMost(inflated(capped, encoding), maxBytes, 0);
}

/** Reads a complete body of at most `maxBytes` into memory. Throws a `BodyError`. */
export async function readBody(
  c: Context,
  maxBytes: number,
  options: { readonly inflate?: boolean } = {},
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(requestBody(c, { ...options, maxBytes })));
}

/** Returns `Content-Length` in bytes; undefined for chunked bodies and for an invalid header. */
export function declaredLength(c: Context): number | undefined {
  const header = c.req.header("content-length");
  if (header === undefined || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header);
}

async function* nodeBody({
  incoming,
  bodyPace,
}: NodePair): AsyncGenerator<Uint8Array, void, undefined> {
  if (incoming.readableDidRead) throw new TypeError("the request body was read before");
  try {
    // Destroying the request would also close the connection, and the response would be lost.
    const chunks = incoming.iterator({ destroyOnReturn: false });
    yield* bodyPace ? atPace(chunks, bodyPace) : chunks;
  } catch (error) {
    if (error instanceof BodyTooSlowError) throw error;
    throw new ClientDisconnectedError("the client went away before the end of its body", {
      cause: error,
    });
  }
  if (!incoming.complete)
    throw new ClientDisconnectedError("the request body ended before its end");
}

async function* webBody(request: Request): AsyncGenerator<Uint8Array, void, undefined> {
  if (request.bodyUsed) throw new TypeError("the request body was read before");
  if (request.body) yield* request.body;
}

async function* atMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  declared: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (declared > maxBytes) throw new BodyTooLargeError(maxBytes);
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLargeError(maxBytes);
    yield chunk;
  }
}

async function* inflated(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw new BodyEncodingError(`request bodies in ${JSON.stringify(encoding)} are not read here`);
  }
  const source = Readable.from(body);
  const gunzip = createGunzip();
  source.on("error", (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip);
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new BodyEncodingError("the request body is not valid gzip", { cause: error });
  } finally {
    source.destroy();
  }
}

function isZlibError(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return typeof error.code === "string" && error.code.startsWith("Z_");
}
