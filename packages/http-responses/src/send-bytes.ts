import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { ByteRange, ByteSource, ReadOptions } from "./byte-range.ts";
import { parseRange } from "./byte-range.ts";
import { mayContinue, namesEtag } from "./etag.ts";
import type { Multipart } from "./multipart-ranges.ts";
import { joinMultipart, multipartOf, readMultipart } from "./multipart-ranges.ts";
import type { NodePair } from "./node-context.ts";
import { alreadySent, nodeOf, withContextHeaders } from "./node-context.ts";

/** Headers and status of a response with stored bytes. */
export type BytesOptions = {
  readonly contentType: string;
  /** Strong, without quotes: changes whenever a byte changes. */
  readonly etag: string;
  /** Sent with 200, 206 and 304. */
  readonly cacheControl?: string;
  /** Names in lower case. Sent with every status; never `content-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of a response with all bytes. Default 200. */
  readonly status?: 200 | 201 | 203;
};

/**
 * Answers GET or HEAD with stored bytes: all of them, one range, or several ranges as
 * `multipart/byteranges`. With `@hono/node-server` the bytes go directly to the socket; the promise
 * resolves when they are sent or the client has disconnected.
 *
 * Reads the first chunk before it writes the head: if the source cannot be opened, this rejects and
 * the caller can still answer with an error. If the source fails later, or its length differs from
 * its size, this destroys the connection and sets `c.error` for the log.
 */
export async function sendBytes(
  c: Context,
  source: ByteSource,
  options: BytesOptions,
): Promise<Response> {
  const request = {
    method: c.req.method,
    ifNoneMatch: c.req.header("if-none-match"),
    range: c.req.header("range"),
    ifRange: c.req.header("if-range"),
  };
  const plan = planBytes(request, source.size, options);
  const node = nodeOf(c);
  if (!node) {
    const body = plan.length > 0 ? webStream(source, plan) : null;
    return c.newResponse(body, plan.status, withContextHeaders(c, plan.headers));
  }
  await pipeBytes(c, node, { source, plan });
  return alreadySent();
}

/** Answers GET or HEAD with bytes that are in memory, like `sendBytes` but without Hono. For a host
 * that answers its most frequent requests directly. */
export function writeBytes(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  bytes: Uint8Array,
  options: BytesOptions,
): void {
  const plan = planBytes(askedOf(incoming), bytes.length, options);
  outgoing.writeHead(plan.status, plan.headers);
  outgoing.end(plan.length > 0 ? partOf(bytes, plan) : undefined);
}

function partOf(bytes: Uint8Array, { range, multipart }: BytesPlan): Uint8Array {
  if (multipart) return joinMultipart(bytes, multipart);
  return range ? bytes.subarray(range.start, range.end + 1) : bytes;
}

/** Answers HEAD for a body of `size` bytes, without reading it. */
export function writeHeadOfBytes(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  size: number,
  options: BytesOptions,
): void {
  const plan = planBytes({ ...askedOf(incoming), method: "HEAD" }, size, options);
  outgoing.writeHead(plan.status, plan.headers).end();
}

function askedOf({ method = "GET", headers }: IncomingMessage): BytesRequest {
  const { range, "if-none-match": ifNoneMatch, "if-range": ifRange } = headers;
  return { method, ifNoneMatch, range, ifRange: joined(ifRange) };
}

function joined(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(", ") : header;
}

export type BytesRequest = {
  readonly method: string;
  readonly ifNoneMatch?: string | undefined;
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
};

export type BytesPlan = {
  readonly status: 200 | 201 | 203 | 206 | 304 | 416;
  readonly headers: Record<string, string>;
  /** Bytes of the body that follow the head; 0 for HEAD. */
  readonly length: number;
  readonly range?: ByteRange;
  readonly multipart?: Multipart;
};

/** Returns the head of the response and the ranges of its body, without reading any bytes. */
export function planBytes(request: BytesRequest, size: number, options: BytesOptions): BytesPlan {
  const { ifNoneMatch, ifRange } = request;
  const base = {
    ...options.headers,
    etag: `"${options.etag}"`,
    ...(options.cacheControl !== undefined && { "cache-control": options.cacheControl }),
    "accept-ranges": "bytes",
  };
  if (ifNoneMatch !== undefined && namesEtag(ifNoneMatch, options.etag)) {
    return { status: 304, headers: base, length: 0 };
  }
  const isHead = request.method === "HEAD";
  const ranged = !isHead && mayContinue(ifRange, options.etag) ? request.range : undefined;
  const askedRange = parseRange(ranged, size);
  if (askedRange.status === "unsatisfiable") return unsatisfiable(size, options);
  if (askedRange.status === "parts") {
    const { contentType } = options;
    const multipart = multipartOf(askedRange.ranges, { contentType, size, boundary: randomUUID() });
    const { length } = multipart;
    const own = { "content-type": multipart.contentType, "content-length": String(length) };
    return { status: 206, headers: { ...base, ...own }, length, multipart };
  }
  const range = askedRange.status === "part" ? askedRange.range : undefined;
  const length = range ? range.end - range.start + 1 : size;
  const headers: Record<string, string> = {
    ...base,
    "content-type": options.contentType,
    "content-length": String(length),
  };
  if (!range) return { status: options.status ?? 200, headers, length: isHead ? 0 : length };
  headers["content-range"] = `bytes ${range.start}-${range.end}/${size}`;
  return { status: 206, headers, length, range };
}

/** Omits `Cache-Control`, because this response has no bytes to cache. */
function unsatisfiable(size: number, options: BytesOptions): BytesPlan {
  const headers = {
    ...options.headers,
    "accept-ranges": "bytes",
    "content-range": `bytes */${size}`,
    "content-length": "0",
  };
  return { status: 416, headers, length: 0 };
}

type Sending = { readonly source: ByteSource; readonly plan: BytesPlan };

function webStream(source: ByteSource, plan: BytesPlan): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunksOf(source, plan));
}

function chunksOf(
  source: ByteSource,
  { range, multipart, length }: BytesPlan,
  options?: ReadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const body = multipart ? readMultipart(source, multipart, options) : source.read(range, options);
  return exactly(body, length);
}

async function pipeBytes(c: Context, node: NodePair, { source, plan }: Sending): Promise<void> {
  const { outgoing } = node;
  if (plan.length === 0) {
    outgoing.writeHead(plan.status, withContextHeaders(c, plan.headers)).end();
    return;
  }
  const chunks = chunksOf(source, plan, { reuse: true });
  const first = await chunks.next();
  if (first.done || outgoing.destroyed) {
    await chunks.return();
    return;
  }
  outgoing.writeHead(plan.status, withContextHeaders(c, plan.headers));
  if (first.value.length === plan.length) {
    outgoing.end(first.value);
    await chunks.return();
    return;
  }
  try {
    for (let next: IteratorResult<Uint8Array> = first; !next.done; next = await chunks.next()) {
      if (!(await isOut(outgoing, next.value))) return;
    }
    outgoing.end();
  } catch (error) {
    const isClientGone = outgoing.destroyed;
    outgoing.destroy();
    if (!isClientGone) c.error = error instanceof Error ? error : new Error(String(error));
  } finally {
    await chunks.return();
  }
}

/** Resolves to true when the system has taken the bytes and their memory can be reused; to false
 * when the client has disconnected. */
function isOut(outgoing: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    // Node does not call the write callback of a queued response when the connection ends.
    const onClose = () => resolve(false);
    if (outgoing.destroyed) return onClose();
    outgoing.once("close", onClose);
    outgoing.write(chunk, (error) => {
      outgoing.off("close", onClose);
      if (error) outgoing.destroy();
      resolve(!error);
    });
  });
}

/** Throws if the body is longer or shorter than `length`. Otherwise the client would wait for more,
 * or take an incomplete body for a complete one. */
async function* exactly(
  body: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = length;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) throw new Error(`the source has more than the ${length} bytes it should have`);
    if (chunk.length > 0) yield chunk;
  }
  if (left > 0) throw new Error(`the source ended ${left} bytes early`);
}
