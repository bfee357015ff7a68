import { once } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "hono";
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import type { DrainLimits } from "./answer-then-drain.ts";
import { answerThenDrain } from "./answer-then-drain.ts";
import { answerTo, ask, openConnection, openServer } from "./real-server.test.support.ts";
import { requestBody } from "./request-body.ts";
import { setReasonPhrase } from "./reason-phrase.ts";

function refusing(limits: DrainLimits, after: (c: Context) => void = () => undefined): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    c.header("x-request-id", "r-1");
    await next();
    after(c);
  });
  app.all("/", (c) => {
    setReasonPhrase(c, "Not with this kéy\r\n");
    return answerThenDrain(c, c.json({ error: "no" }, 401, { "set-cookie": "a=1" }), limits);
  });
  return app;
}

test("a client that is still writing reads an early refusal", async () => {
  await using server = await openServer(refusing({}));
  const answer = await ask(server.port, { method: "PUT", body: Buffer.alloc(20_000_000) });
  expect(answer.status).toBe(401);
  expect(answer.statusMessage).toBe("Not with this key");
  expect(answer.body.toString()).toBe('{"error":"no"}');
  expect(answer.headers).toMatchObject({
    "x-request-id": "r-1",
    "content-length": "14",
    "set-cookie": ["a=1"],
  });
});

test("the refusal comes before the body, and the connection serves the next request", async () => {
  await using server = await openServer(refusing({}));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { "content-length": 1_000_000 };
  const asking = request({ port: server.port, agent, method: "PUT", headers });
  asking.flushHeaders();
  const answer = await answerTo(asking);
  expect(answer.statusCode).toBe(401);
  const [body] = await once(answer, "data");
  expect(String(body)).toBe('{"error":"no"}');
  const { socket } = asking;
  asking.end(Buffer.alloc(1_000_000));
  answer.resume();
  await once(asking, "close");
  const next = request({ port: server.port, agent, method: "GET" }).end();
  expect((await answerTo(next)).statusCode).toBe(401);
  expect(next.socket).toBe(socket);
  agent.destroy();
});

test.each([
  ["too much", { maxBytes: 100_000 }, Buffer.alloc(1_000_000)],
  ["too slowly", { timeoutMs: 50 }, Buffer.alloc(10)],
])("a client that sends %s gets the answer, then the end of the connection", async (...args) => {
  const [, limits, sent] = args;
  await using server = await openServer(refusing(limits));
  const socket = await openConnection(server.port);
  socket.on("error", () => undefined);
  socket.write("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
  const [head] = await once(socket, "data");
  expect(String(head)).toMatch(/^HTTP\/1\.1 401 Not with this key\r\n/);
  socket.write(sent);
  socket.resume();
  await once(socket, "close");
});

test("reads the rest of a body that a failed reader left in the middle", async () => {
  const app = new Hono();
  const openReaders: AsyncIterator<Uint8Array>[] = [];
  app.put("/", async (c) => {
    const reader = requestBody(c)[Symbol.asyncIterator]();
    openReaders.push(reader);
    await reader.next();
    return answerThenDrain(c, c.text("no", 503));
  });
  await using server = await openServer(app);
  const body = Buffer.alloc(20_000_000);
  const asking = request({ port: server.port, agent: false, method: "PUT" }).end(body);
  const [answer] = await Promise.all([answerTo(asking), once(asking, "finish")]);
  expect(answer.statusCode).toBe(503);
  expect(openReaders).toHaveLength(1);
});

test.each([
  ["is read beyond the timeout, while it keeps the minimum rate", 1, true],
  ["is cut when it falls below the minimum rate", 1_000_000, false],
])("a body that %s", async (...row) => {
  const [, bytesPerSecond, isWhole] = row;
  const app = refusing({ timeoutMs: 20, isAtBodyPace: true });
  await using server = await openServer(app, { bodyPace: { bytesPerSecond, windowMs: 100 } });
  const socket = await openConnection(server.port);
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  let received = "";
  socket.on("data", (data) => (received += String(data)));
  socket.write("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n");
  for (const byte of "body") {
    await delay(60);
    socket.write(byte);
  }
  if (isWhole) socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await closed;
  expect(received.match(/HTTP\/1\.1 401/g)).toHaveLength(isWhole ? 2 : 1);
});

test("answers a request without a body, or outside a server, as usual", async () => {
  const seen: (number | undefined)[] = [];
  const app = refusing({ timeoutMs: 60_000 }, (c) => seen.push(c.res.status));
  await using server = await openServer(app);
  expect((await ask(server.port)).status).toBe(401);
  expect((await ask(server.port, { method: "HEAD" })).status).toBe(401);
  const answer = await app.request("/", { method: "PUT", body: "x" });
  expect(await answer.json()).toEqual({ error: "no" });
  expect(seen.at(-1)).toBe(401);
});

test("a client that goes away during the drain leaves nothing behind", async () => {
  let ended = 0;
  const app = refusing({ timeoutMs: 60_000 }, () => (ended += 1));
  await using server = await openServer(app);
  const socket = await openConnection(server.port);
  socket.write("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf");
  await once(socket, "data");
  socket.destroy();
  await vi.waitFor(() => expect(ended).toBe(1));
});
