import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Context } from "hono";
import {
  BodyCutError,
  BodyEncodingError,
  BodyTooLargeError,
  BodyTooSlowError,
} from "./body-errors.ts";
import { atPace } from "./body-pace.ts";
import { nodeOf } from "./node-context.ts";
import type { NodePair } from "./node-context.ts";

export type BodyOptions = {
  /** More bytes, before or after inflating, reject with `BodyTooLargeError`. */
  readonly maxBytes?: number;
  /** Reads bodies with `Content-Encoding: gzip`. Otherwise the bytes are handed out as they come,
   * whatever the header says. Give `maxBytes` too: a few bytes can inflate to very many. */
  readonly inflate?: boolean;
};

/**
 * The request body, to be walked once, with back-pressure to the socket. Leaving early keeps the
 * connection, so that an error can still be answered. Rejects with `BodyCutError` when the client
 * goes away before the end: a body that ends normally is whole. With a `bodyPace` beside the
 * request, rejects with `BodyTooSlowError` when the client keeps the registry waiting.
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

/** A whole small body in memory. */
export async function readBody(
  c: Context,
  maxBytes: number,
  options: { readonly inflate?: boolean } = {},
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(requestBody(c, { ...options, maxBytes })));
}

/** `Content-Length` in bytes; undefined for chunked bodies and where there is none. */
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
    // Destroying the request would take the connection with it, and the answer.
    const chunks = incoming.iterator({ destroyOnReturn: false });
    yield* bodyPace ? atPace(chunks, bodyPace) : chunks;
  } catch (error) {
    if (error instanceof BodyTooSlowError) throw error;
    throw new BodyCutError("the client went away before the end of its body", { cause: error });
  }
  if (!incoming.complete) throw new BodyCutError("the request body ended before its end");
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
