import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import { BodyTooLargeError } from "./body-errors.ts";
import type { Answer } from "./real-server.test.support.ts";
import { ask, openConnection, openServer } from "./real-server.test.support.ts";
import type { BodyOptions } from "./request-body.ts";
import { declaredLength, readBody, requestBody } from "./request-body.ts";

/** Answers with the size it read, or the name of the error. */
function appFor(read: (c: Context) => Promise<string>, seen: string[] = []): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    seen.push(error.name);
    return c.text(error.name, error instanceof BodyTooLargeError ? 413 : 400);
  });
  app.put("/", async (c) => {
    const result = await read(c);
    seen.push(result);
    return c.text(result);
  });
  return app;
}

const sizeOf = (options: BodyOptions) => async (c: Context) => {
  let size = 0;
  for await (const chunk of requestBody(c, options)) size += chunk.length;
  return String(size);
};

type TestRequest = { readonly headers?: Record<string, string>; readonly body: Uint8Array };
type Fetch = (app: Hono, testRequest: TestRequest) => Promise<Pick<Answer, "status" | "body">>;

const transports: Record<string, Fetch> = {
  "a Node server": async (app, { headers = {}, body }) => {
    await using server = await openServer(app);
    return await ask(server.port, { method: "PUT", headers, body });
  },
  "app.request": async (app, { headers = {}, body }) => {
    const answer = await app.request("/", { method: "PUT", headers, body: Uint8Array.from(body) });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  },
};

const megabyte = Buffer.alloc(1_000_000, "some text that shrinks");
const gzip = { "content-encoding": "gzip" };

for (const [transport, fetchFrom] of Object.entries(transports)) {
  describe(`on ${transport}`, () => {
    test.each([
      { what: "all of it", options: {}, body: megabyte, says: "1000000" },
      { what: "an empty body", options: { maxBytes: 0 }, body: Buffer.alloc(0), says: "0" },
      {
        what: "as much as allowed",
        options: { maxBytes: 1_000_000 },
        body: megabyte,
        says: "1000000",
      },
      {
        what: "no more",
        options: { maxBytes: 999_999 },
        body: megabyte,
        says: "BodyTooLargeError",
      },
      {
        what: "a compressed body as it comes",
        options: {},
        headers: gzip,
        body: gzipSync(megabyte),
        says: String(gzipSync(megabyte).length),
      },
      {
        what: "a compressed body inflated",
        options: { inflate: true, maxBytes: 1_000_000 },
        headers: gzip,
        body: gzipSync(megabyte),
        says: "1000000",
      },
      {
        what: "no bomb",
        options: { inflate: true, maxBytes: 10_000 },
        headers: gzip,
        body: gzipSync(megabyte),
        says: "BodyTooLargeError",
      },
      {
        what: "no half gzip",
        options: { inflate: true },
        headers: gzip,
        body: gzipSync(megabyte).subarray(0, 500),
        says: "BodyEncodingError",
      },
      {
        what: "no nonsense for gzip",
        options: { inflate: true },
        headers: gzip,
        body: Buffer.from("this is no gzip"),
        says: "BodyEncodingError",
      },
      {
        what: "no other encoding",
        options: { inflate: true },
        headers: { "content-encoding": "br" },
        body: Buffer.from("x"),
        says: "BodyEncodingError",
      },
    ])("reads $what", async ({ options, body, headers = {}, says }) => {
      const answer = await fetchFrom(appFor(sizeOf(options)), { headers, body });
      expect(answer.body.toString()).toBe(says);
    });

    test("reads a small body at once, up to its limit", async () => {
      const app = (maxBytes: number) =>
        appFor(async (c) => (await readBody(c, maxBytes)).toString("utf8"));
      const body = Buffer.from("small");
      expect((await fetchFrom(app(5), { body })).body.toString()).toBe("small");
      expect((await fetchFrom(app(4), { body })).status).toBe(413);
    });

    test("does not take a body that was read before for an empty one", async () => {
      const app = appFor(async (c) => {
        await c.req.text();
        return sizeOf({})(c);
      });
      const answer = await fetchFrom(app, { body: Buffer.from("read") });
      expect(answer.body.toString()).toBe("TypeError");
    });
  });
}

test("tells the declared length, when it is one", async () => {
  const lengths: unknown[] = [];
  const app = new Hono();
  app.get("/", (c) => {
    lengths.push(declaredLength(c));
    return c.text("ok");
  });
  for (const header of ["12", "0", "-1", "1e3", "9".repeat(30)]) {
    await app.request("/", { headers: { "content-length": header } });
  }
  await app.request("/");
  expect(lengths).toEqual([12, 0, undefined, undefined, undefined, undefined]);
});

describe("on a connection", () => {
  const head = "PUT / HTTP/1.1\r\nHost: x\r\n";

  test.each([
    ["of a declared length", `${head}Content-Length: 1000\r\n\r\nhalf`],
    ["in chunks", `${head}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
    ["in the middle of a chunk", `${head}Transfer-Encoding: chunked\r\n\r\n40\r\nhalf`],
    ["compressed", `${head}Content-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n\x1f\x8b\x08`],
  ])("a body %s that is cut is never taken for a whole one", async (_, sent) => {
    for (const hangUp of ["destroy", "end"] as const) {
      const seen: string[] = [];
      await using server = await openServer(appFor(sizeOf({ inflate: true }), seen));
      const socket = await openConnection(server.port);
      socket.on("error", () => undefined);
      socket.write(Buffer.from(sent, "latin1"));
      await sleep(30);
      socket[hangUp]();
      await vi.waitFor(() => expect(seen).toEqual(["ClientDisconnectedError"]));
      socket.destroy();
    }
  });

  test("a refusal in the middle of a body reaches the client", async () => {
    await using server = await openServer(appFor(sizeOf({ maxBytes: 100_000 })));
    const headers = { "transfer-encoding": "chunked" };
    const body = Buffer.alloc(5_000_000);
    const answer = await ask(server.port, { method: "PUT", headers, body });
    expect(answer.status).toBe(413);
    expect(answer.body.toString()).toBe("BodyTooLargeError");
  });

  test("the body waits for its reader", async () => {
    let read = 0;
    const app = appFor(async (c) => {
      for await (const chunk of requestBody(c)) {
        read += chunk.length;
        if (read < 200_000) await sleep(100);
      }
      return String(read);
    });
    await using server = await openServer(app);
    const socket = await openConnection(server.port);
    const size = 32 * 1024 * 1024;
    socket.write(`${head}Content-Length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size));
    await sleep(60);
    expect(socket.writableLength).toBeGreaterThan(size / 2);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain("200 OK");
    expect(read).toBe(size);
    socket.destroy();
  });
});
