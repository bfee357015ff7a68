import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { postWebhook } from "./post-webhook.ts";

const now = () => new Date("2026-01-01T00:00:00Z");

async function openReceiver(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook?key=1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers a status with headers and an empty body. */
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, headers).end();

const endless: RequestListener = (_request, response) => {
  response.writeHead(200);
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(64 * 1024)));
    response.once("drain", more);
  };
  more();
};
const dripping: RequestListener = (_request, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("x"), 20);
  response.on("close", () => clearInterval(timer));
};
const cutting: RequestListener = (request) => void request.socket.destroy();
const hanging: RequestListener = () => undefined;

test.each<{ name: string; answer: RequestListener; expected: object }>([
  { name: "204", answer: status(204), expected: { outcome: "delivered", status: 204 } },
  { name: "410", answer: status(410), expected: { outcome: "gone", status: 410 } },
  {
    name: "a redirect, which is not followed",
    answer: status(302, { location: "/other" }),
    expected: { outcome: "failed", status: 302, error: /redirects are not followed/ },
  },
  {
    name: "429 with Retry-After",
    answer: status(429, { "retry-after": "56" }),
    expected: { outcome: "failed", status: 429, retryAfterMs: 56_000 },
  },
  {
    name: "503 with Retry-After as a date",
    answer: status(503, { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }),
    expected: { outcome: "failed", status: 503, retryAfterMs: 60_000 },
  },
  {
    name: "500, whose Retry-After means nothing",
    answer: status(500, { "retry-after": "56" }),
    expected: { outcome: "failed", status: 500, retryAfterMs: undefined },
  },
  {
    name: "silence",
    answer: hanging,
    expected: { outcome: "failed", status: undefined, error: /no answer within 300 ms/ },
  },
  {
    name: "a cut connection",
    answer: cutting,
    expected: { outcome: "failed", status: undefined, error: /./ },
  },
  { name: "an endless body", answer: endless, expected: { outcome: "delivered", status: 200 } },
  { name: "a dripping body", answer: dripping, expected: { outcome: "delivered", status: 200 } },
])("a receiver that answers with $name", async ({ answer, expected }) => {
  await using receiver = await openReceiver(answer);
  const start = performance.now();
  const result = await postWebhook(
    { url: receiver.url, headers: {}, body: "{}" },
    { fetch, userAgent: "test", now, timeoutMs: 300 },
  );
  expect(performance.now() - start).toBeLessThan(2_500);
  for (const [name, value] of Object.entries(expected)) {
    const found: unknown = Reflect.get(result, name);
    if (value instanceof RegExp) expect(found).toMatch(value);
    else expect(found).toBe(value);
  }
});
