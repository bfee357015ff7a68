import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";

/** Answers a request of a mirror with something that no registry should send. */
export type HostileAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** White space, which JSON may begin with. */
const CHUNK = Buffer.alloc(64 * 1024, " ");
/** A body of this many chunks is 4 GiB. */
const ENDLESS = 65_536;
const DRIP_EVERY_MS = 100;
/** Gzip files may follow each other: 32 MiB each. */
const BOMB_PIECE = gzipSync(Buffer.alloc(32 * 1024 * 1024, " "));
const BOMB_PIECES = 128;

async function* repeated(chunk: Buffer, times: number, everyMs = 0) {
  for (let sent = 0; sent < times; sent += 1) {
    if (everyMs > 0) await delay(everyMs);
    yield chunk;
  }
}

const sending =
  (body: () => AsyncIterable<Buffer>, headers: Record<string, string> = {}): HostileAnswer =>
  (_, response) => {
    response.writeHead(200, headers);
    // The mirror closes the connection.
    pipeline(Readable.from(body()), response).catch(() => undefined);
  };

const answering =
  (status: number, headers: Record<string, string>, body = ""): HostileAnswer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

const raw =
  (...parts: readonly (string | Buffer)[]): HostileAnswer =>
  ({ socket }) => {
    for (const part of parts) socket.write(part);
  };

const drops = () => repeated(Buffer.from(" "), Infinity, DRIP_EVERY_MS);

export const HOSTILE_ANSWERS: Readonly<Record<string, HostileAnswer>> = {
  endless: sending(() => repeated(CHUNK, ENDLESS)),
  dripping: sending(drops),
  "dripping-to-a-length": sending(drops, { "content-length": "500" }),
  bomb: sending(() => repeated(BOMB_PIECE, BOMB_PIECES), { "content-encoding": "gzip" }),
  page: answering(200, { "content-type": "text/html" }, "<html>Sign in</html>"),
  empty: answering(200, {}),
  cut(_, response) {
    response.writeHead(200, { "content-length": 900_000 }).write(CHUNK);
    setTimeout(() => response.destroy(), 50);
  },
  "longer-than-told": raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", CHUNK),
  "long-header": raw(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(1_000_000)}\r\n\r\n`),
  loop: (request, response) =>
    void response.writeHead(302, { location: `${request.url}?again` }).end(),
  busy: answering(429, { "retry-after": "7" }),
  "no-content": answering(204, {}),
  "unasked-304": answering(304, {}),
};
