import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { ListenError, listen } from "./server.ts";
import type { HttpServer } from "./server.ts";

const ADDRESS = {
  protocol: "http",
  hosts: ["127.0.0.1"],
  port: 0,
  text: "http://127.0.0.1:0",
} as const;

function open(listener: RequestListener, idleTimeoutMs = 60_000): Promise<HttpServer> {
  const unreadBodyTimeoutMs = 200;
  return listen({ addresses: [ADDRESS, ADDRESS], idleTimeoutMs, unreadBodyTimeoutMs, listener });
}

test("listens on several addresses at once", async () => {
  const server = await open((_, outgoing) => void outgoing.end("here"));
  expect(server.urls).toHaveLength(2);
  for (const url of server.urls) expect(await (await fetch(url)).text()).toBe("here");
  await server.stop(1_000);
  await expect(fetch(server.urls[0] ?? "")).rejects.toThrow();
});

test("a running upload finishes after the stop signal, its connection ends", async () => {
  let received = "";
  const server = await open(async (incoming, outgoing) => {
    for await (const chunk of incoming) received += String(chunk);
    outgoing.end("stored");
  });
  const slow = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from("first "));
      await delay(300);
      controller.enqueue(Buffer.from("last"));
      controller.close();
    },
  });
  const request = { method: "PUT", body: slow, duplex: "half" } as const;
  const answer = fetch(server.urls[0] ?? "", request);
  await delay(100);
  const stopped = server.stop(5_000);
  expect(await (await answer).text()).toBe("stored");
  expect((await answer).headers.get("connection")).toBe("close");
  expect(received).toBe("first last");
  expect(await stopped).toBe(0);
});

test("what is still running when the time is over is cut and counted", async () => {
  const server = await open(() => undefined);
  const answer = fetch(server.urls[0] ?? "").catch((error: unknown) => error);
  await delay(100);
  expect(await server.stop(200)).toBe(1);
  expect(await answer).toBeInstanceOf(Error);
});

test("an idle kept connection does not hold up the stop", { timeout: 30_000 }, async () => {
  const server = await open((_, outgoing) => void outgoing.end("x"));
  await (await fetch(server.urls[0] ?? "")).text();
  // A stop that waits for the connection takes 65 seconds and fails the test.
  expect(await server.stop(600_000)).toBe(0);
});

test("cuts an idle upload, but not a request that the host still processes", async () => {
  const server = await open(async (incoming, outgoing) => {
    incoming.resume();
    if (incoming.method === "GET") {
      await delay(600);
      outgoing.end("late");
    }
  }, 200);
  const { port } = new URL(server.urls[0] ?? "");
  const stuck = connect(Number(port), "127.0.0.1");
  stuck.write("PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc");
  const cut = once(stuck, "close");
  expect(await (await fetch(server.urls[0] ?? "")).text()).toBe("late");
  await cut;
  await server.stop(100);
});

/** Sends a byte of a body again and again, until the server closes the connection. */
async function drip(url: string, method: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  socket.on("error", () => undefined);
  socket.write(`${method} / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n`);
  const timer = setInterval(() => socket.write("x"), 20);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
  return answer;
}

test.each(["GET", "HEAD", "POST", "PUT"])(
  "closes the connection of a %s request whose body has no reader",
  async (method) => {
    const server = await open((_, outgoing) => void outgoing.end("x"));
    expect(await drip(server.urls[0] ?? "", method)).toMatch(/^HTTP\/1.1 200 /);
    await server.stop(100);
  },
);

test.each(["GET", "HEAD"])("limits the body of %s before the answer, too", async (method) => {
  const server = await open(() => undefined);
  expect(await drip(server.urls[0] ?? "", method)).toBe("");
  await server.stop(100);
});

test("keeps the connection of a GET request with a short body", async () => {
  const server = await open((incoming, outgoing) => void outgoing.end(incoming.url));
  const socket = connect(Number(new URL(server.urls[0] ?? "").port), "127.0.0.1");
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx`;
  for (const path of ["/first", "/second"]) {
    socket.write(request(path));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain(path);
    // Longer than an unread body may take.
    await delay(300);
  }
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  await server.stop(100);
});

test("names an address in use in the error", async () => {
  const server = await open((_, outgoing) => void outgoing.end());
  const port = Number(new URL(server.urls[0] ?? "").port);
  const address = { ...ADDRESS, port, text: `http://127.0.0.1:${port}` };
  const second = listen({ addresses: [address], idleTimeoutMs: 1_000, listener: () => undefined });
  await expect(second).rejects.toThrow(ListenError);
  await expect(second).rejects.toThrow(/another program listens there already/);
  await server.stop(100);
});
