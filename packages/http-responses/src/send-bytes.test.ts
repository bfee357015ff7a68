import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import type { ByteSource } from "./byte-range.ts";
import type { Answer } from "./real-server.test.support.ts";
import { answerTo, ask, countedSource, openServer } from "./real-server.test.support.ts";
import { sendBytes } from "./send-bytes.ts";

const MIB = 1024 * 1024;
const TEN = Buffer.from("0123456789");
const options = {
  contentType: "application/octet-stream",
  etag: "sha256:ab",
  cacheControl: "private, max-age=31536000, immutable",
  headers: { "docker-content-digest": "sha256:ab" },
};

function appFor(source: ByteSource): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    c.header("x-request-id", "r-1");
    await next();
  });
  app.get("/", (c) => sendBytes(c, source, options));
  return app;
}

type TestRequest = { readonly method?: string; readonly headers?: Record<string, string> };

const transports: Record<
  string,
  (source: ByteSource, httpRequest: TestRequest) => Promise<Answer>
> = {
  "a Node server": async (source, testRequest) => {
    await using server = await openServer(appFor(source));
    return await ask(server.port, testRequest);
  },
  "app.request": async (source, testRequest) => {
    const answer = await appFor(source).request("/", testRequest);
    return {
      status: answer.status,
      statusMessage: answer.statusText,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  },
};

const cases = [
  { asks: "for all", headers: {}, status: 200, body: "0123456789", length: "10" },
  { asks: "for a part", headers: { range: "bytes=2-4" }, status: 206, body: "234", length: "3" },
  { asks: "for the rest", headers: { range: "bytes=8-" }, status: 206, body: "89", length: "2" },
  { asks: "for the end", headers: { range: "bytes=-3" }, status: 206, body: "789", length: "3" },
  {
    asks: "for parts in another order",
    headers: { range: "bytes=4-5,0-1" },
    status: 200,
    body: "0123456789",
    length: "10",
  },
  {
    asks: "for parts of other bytes",
    headers: { range: "bytes=0-1,4-5", "if-range": '"sha256:cd"' },
    status: 200,
    body: "0123456789",
    length: "10",
  },
  {
    asks: "for the head of two parts",
    method: "HEAD",
    headers: { range: "bytes=0-1,4-5" },
    status: 200,
    body: "",
    length: "10",
  },
  {
    asks: "for two parts, of which one is there",
    headers: { range: "bytes=2-4,10-12" },
    status: 206,
    body: "234",
    length: "3",
  },
  { asks: "for more", headers: { range: "bytes=10-" }, status: 416, body: "", length: "0" },
  { asks: "backwards", headers: { range: "bytes=4-2" }, status: 416, body: "", length: "0" },
  {
    asks: "to go on with the same bytes",
    headers: { range: "bytes=8-", "if-range": '"sha256:ab"' },
    status: 206,
    body: "89",
    length: "2",
  },
  {
    asks: "to go on with other bytes",
    headers: { range: "bytes=8-", "if-range": '"sha256:cd"' },
    status: 200,
    body: "0123456789",
    length: "10",
  },
  {
    asks: "whether its copy is good",
    headers: { "if-none-match": 'W/"sha256:ab"', range: "bytes=0-1" },
    status: 304,
    body: "",
    length: undefined,
  },
  {
    asks: "with an old copy",
    headers: { "if-none-match": '"sha256:cd"' },
    status: 200,
    body: "0123456789",
    length: "10",
  },
  { asks: "for the head", method: "HEAD", headers: {}, status: 200, body: "", length: "10" },
  {
    asks: "for the head of a part",
    method: "HEAD",
    headers: { range: "bytes=2-4" },
    status: 200,
    body: "",
    length: "10",
  },
];

for (const [transport, fetchFrom] of Object.entries(transports)) {
  describe(`on ${transport}`, () => {
    test.each(cases)("a client that asks $asks gets $status", async (testCase) => {
      const { source, seen } = countedSource(TEN, 4);
      const answer = await fetchFrom(source, {
        method: testCase.method ?? "GET",
        headers: testCase.headers,
      });
      expect(answer.status).toBe(testCase.status);
      expect(answer.body.toString()).toBe(testCase.body);
      expect(answer.headers["content-length"]).toBe(testCase.length);
      expect(answer.headers["accept-ranges"]).toBe("bytes");
      expect(answer.headers["x-request-id"]).toBe("r-1");
      expect(answer.headers["docker-content-digest"]).toBe("sha256:ab");
      expect(answer.headers["content-encoding"]).toBeUndefined();
      expect(answer.headers["transfer-encoding"]).toBeUndefined();
      expect(answer.headers["x-hono-already-sent"]).toBeUndefined();
      const good = testCase.status !== 416;
      expect(answer.headers.etag).toBe(good ? '"sha256:ab"' : undefined);
      expect(answer.headers["cache-control"]).toBe(good ? options.cacheControl : undefined);
      expect(answer.headers["content-range"]).toBe(
        {
          206: `bytes ${"0123456789".indexOf(testCase.body)}-${testCase.body.at(-1)}/10`,
          416: "bytes */10",
        }[testCase.status],
      );
      expect(seen).toMatchObject({ opened: testCase.body === "" ? 0 : 1, open: 0 });
    });

    test("a client that asks for several parts gets them in one body", async () => {
      const { source, seen } = countedSource(TEN, 4);
      const range = { range: "bytes=0-5,7-7,-1", "if-range": '"sha256:ab"' };
      const { status, headers, body } = await fetchFrom(source, { headers: range });
      expect(status).toBe(206);
      expect(headers.etag).toBe('"sha256:ab"');
      expect(headers["content-range"]).toBeUndefined();
      expect(headers["content-length"]).toBe(String(body.length));
      const type = /^multipart\/byteranges; boundary=(\S+)$/.exec(headers["content-type"] ?? "");
      expect(await partsIn(body, type?.[1] ?? "")).toEqual([
        ["application/octet-stream", "bytes 0-5/10", "012345"],
        ["application/octet-stream", "bytes 7-7/10", "7"],
        ["application/octet-stream", "bytes 9-9/10", "9"],
      ]);
      expect(seen).toMatchObject({ opened: 3, open: 0 });
    });

    test("a client that asks for nothing gets it", async () => {
      const { source } = countedSource(Buffer.alloc(0));
      const answer = await fetchFrom(source, { headers: { range: "bytes=0-" } });
      expect(answer).toMatchObject({ status: 200, headers: { "content-length": "0" } });
      expect(answer.body.length).toBe(0);
    });
  });
}

/** Strictly as RFC 2046 has it: each line break belongs to a delimiter or a head. */
async function partsIn(body: Buffer, boundary: string): Promise<readonly string[][]> {
  const [before, ...parts] = `\r\n${body.toString("latin1")}`.split(`\r\n--${boundary}`);
  expect([before, parts.pop()]).toEqual(["", "--\r\n"]);
  return parts.map((part) => {
    const [, type = "", range = "", content = ""] =
      /^\r\ncontent-type: (.*)\r\ncontent-range: (.*)\r\n\r\n(.*)$/s.exec(part) ?? [];
    return [type, range, content];
  });
}

describe("on a connection", () => {
  const large = Buffer.alloc(8 * 1024 * 1024, "0123456789abcdef");

  test("a large body arrives whole, without more in memory than the client takes", async () => {
    const { source, seen } = countedSource(large, 64 * 1024);
    await using server = await openServer(appFor(source));
    const answer = await answerTo(request({ port: server.port, agent: false }).end());
    await sleep(200);
    expect(seen.open).toBe(1);
    expect(seen.chunks).toBeLessThan(large.length / (64 * 1024));
    const body = Buffer.concat(await Array.fromAsync(answer));
    expect(body.equals(large)).toBe(true);
    expect(seen.open).toBe(0);
  });

  test("reads several parts as fast as the client takes them", async () => {
    const { source, seen } = countedSource(large, 64 * 1024);
    await using server = await openServer(appFor(source));
    const half = large.length / 2;
    const headers = { range: `bytes=0-${half - 1},${half + 1}-` };
    const answer = await answerTo(request({ port: server.port, agent: false, headers }).end());
    await sleep(200);
    expect(seen.open).toBe(1);
    expect(seen.chunks).toBeLessThan(large.length / (64 * 1024));
    const body = Buffer.concat(await Array.fromAsync(answer));
    expect(answer.headers["content-length"]).toBe(String(body.length));
    expect(body.includes(large.subarray(half + 1))).toBe(true);
    expect(seen).toMatchObject({ opened: 2, open: 0 });
  });

  test("a client that hangs up closes the source", async () => {
    const { source, seen } = countedSource(large, 64 * 1024);
    const failures: unknown[] = [];
    const app = new Hono();
    app.use(async (c, next) => {
      await next();
      if (c.error) failures.push(c.error);
    });
    app.route("/", appFor(source));
    await using server = await openServer(app);
    for (let round = 1; round <= 5; round += 1) {
      const asking = request({ port: server.port, agent: false }).end();
      const answer = await answerTo(asking);
      await once(answer, "data");
      answer.destroy();
    }
    await vi.waitFor(() => expect(seen).toMatchObject({ opened: 5, open: 0 }));
    expect(failures).toEqual([]);
  });

  test.each([
    ["fails half-way", "the disk is gone"],
    ["ends early", "3 bytes early"],
    ["does not end", "more than"],
  ])("a source that %s never looks like a whole answer", async (how, message) => {
    const failures: string[] = [];
    const app = new Hono();
    app.use(async (c, next) => {
      await next();
      if (c.error) failures.push(c.error.message);
    });
    app.get("/", (c) => sendBytes(c, { size: 10, read: () => broken(how) }, options));
    await using server = await openServer(app);
    await expect(ask(server.port)).rejects.toThrow(/aborted|socket hang up/);
    await vi.waitFor(() => expect(failures).toEqual([expect.stringContaining(message)]));
    const headers = { range: "bytes=0-7,9-9" };
    await expect(ask(server.port, { headers })).rejects.toThrow(/aborted|socket hang up/);
  });

  test("a chunk is out before the source may overwrite it, however slow the client", async () => {
    const chunk = Buffer.alloc(MIB);
    const read = async function* () {
      for (let index = 0; index < 16; index += 1) yield chunk.fill(index);
    };
    const app = new Hono().get("/", (c) => sendBytes(c, { size: 16 * MIB, read }, options));
    await using server = await openServer(app);
    const clientRequest = request({ port: server.port }).end();
    const [answer] = (await once(clientRequest, "response")) as [IncomingMessage];
    await sleep(50);
    const body = Buffer.concat(await Array.fromAsync(answer));
    const expected = Array.from({ length: 16 }, (_, index) => Buffer.alloc(MIB, index));
    expect(body.equals(Buffer.concat(expected))).toBe(true);
  });

  test("answers properly when a source does not open", async () => {
    const app = new Hono();
    app.onError((error, c) => c.text(error.message, 503));
    const read = () => broken("at once");
    app.get("/", (c) => sendBytes(c, { size: 10, read }, options));
    await using server = await openServer(app);
    for (const headers of [{}, { range: "bytes=0-1,4-5" }]) {
      const answer = await ask(server.port, { headers });
      expect(answer.status).toBe(503);
      expect(answer.body.toString()).toBe("not in the storage");
      expect(answer.headers.etag).toBeUndefined();
    }
  });

  test("middleware may touch the headers afterwards, and the connection lives on", async () => {
    const app = new Hono();
    app.use(async (c, next) => {
      c.res.headers.set("x-before", "yes");
      await next();
      c.header("x-after", "lost, as the head is out");
      c.res.headers.append("x-after", "too");
    });
    app.get("/", (c) => sendBytes(c, countedSource(TEN, 4).source, options));
    await using server = await openServer(app);
    for (const method of ["GET", "HEAD", "GET"]) {
      const answer = await ask(server.port, { method });
      expect(answer.headers["x-before"]).toBe("yes");
      expect(answer.body.toString()).toBe(method === "HEAD" ? "" : "0123456789");
    }
  });
});

async function* broken(how: string): AsyncGenerator<Uint8Array> {
  if (how === "at once") throw new Error("not in the storage");
  yield Buffer.from("01234");
  await sleep(20);
  if (how === "fails half-way") throw new Error("the disk is gone");
  yield Buffer.from("56");
  if (how === "does not end") yield Buffer.from("7890");
}
