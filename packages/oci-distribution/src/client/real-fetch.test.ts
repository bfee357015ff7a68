import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { expect, test } from "vitest";
import { blobOf } from "../testing/build-image.ts";
import { openOciClient } from "./open-client.ts";

/** Calls of the client with Node's own `fetch`, over a socket. */
async function openServer(answer: RequestListener) {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const registry = new URL(`http://127.0.0.1:${port}`);
  const client = openOciClient({ registry, fetch, wait: async () => undefined });
  return {
    place: client.repository("app"),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const blob = blobOf(Buffer.alloc(3_000_000, "0123456789"));

test("resumes a download whose connection is cut", async () => {
  const ranges: (string | undefined)[] = [];
  await using server = await openServer((incoming, outgoing) => {
    const { range } = incoming.headers;
    ranges.push(range);
    const from = Number(/\d+/.exec(range ?? "0")?.[0]);
    const rest = blob.bytes.subarray(from);
    const headers = {
      "content-length": rest.length,
      ...(range !== undefined && {
        "content-range": `bytes ${from}-${blob.bytes.length - 1}/${blob.bytes.length}`,
      }),
    };
    outgoing.writeHead(range === undefined ? 200 : 206, headers);
    if (ranges.length > 2) return void outgoing.end(rest);
    outgoing.write(rest.subarray(0, 1_000_000), () => outgoing.destroy());
  });
  await using download = await server.place.blob(blob.digest, { size: blob.bytes.length });
  const read = Buffer.concat(await Array.fromAsync(download?.body ?? []));
  expect(read.equals(blob.bytes)).toBe(true);
  expect(ranges).toHaveLength(3);
  expect(ranges[0]).toBeUndefined();
  expect(ranges[2]).toMatch(/^bytes=\d+-$/);
});

test("an upload has its length, and starts again when its connection is cut", async () => {
  const puts: { length: string | undefined; received: number }[] = [];
  await using server = await openServer(async (incoming, outgoing) => {
    if (incoming.method === "POST") {
      return outgoing.writeHead(202, { location: "/v2/app/blobs/uploads/1" }).end();
    }
    const length = incoming.headers["content-length"];
    if (puts.push({ length, received: 0 }) === 1) return incoming.socket.destroy();
    puts.push({ length, received: await sizeOf(incoming) });
    return outgoing.writeHead(201).end();
  });
  async function* read() {
    for (let index = 0; index < blob.bytes.length; index += 500_000) {
      yield blob.bytes.subarray(index, index + 500_000);
    }
  }
  await server.place.pushBlob({ digest: blob.digest, size: blob.bytes.length, read });
  expect(puts.at(-1)).toEqual({ length: "3000000", received: 3_000_000 });
  expect(puts).toHaveLength(3);
});

async function sizeOf(incoming: IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) size += chunk.length;
  return size;
}

test("reports an upload that is refused before it is read, in the registry's words", async () => {
  await using server = await openServer((incoming, outgoing) => {
    if (incoming.method === "POST") {
      return outgoing.writeHead(202, { location: "/v2/app/blobs/uploads/1" }).end();
    }
    outgoing.writeHead(413, { "content-type": "application/json", connection: "close" });
    outgoing.end('{"errors":[{"code":"SIZE_INVALID","message":"at most 1 MB"}]}');
    return incoming.resume();
  });
  async function* read() {
    yield blob.bytes;
  }
  const upload = { digest: blob.digest, size: blob.bytes.length, read };
  await expect(server.place.pushBlob(upload)).rejects.toMatchObject({
    code: "too-large",
    message: expect.stringContaining("SIZE_INVALID, at most 1 MB"),
  });
});

test.each(["is refused", "is cut"])(
  "sends a layer once more when its token expires within it, and the upload %s",
  async (end) => {
    const puts: { readonly token: string | undefined; size: number }[] = [];
    let tokens = 0;
    await using server = await openServer(async (incoming, outgoing) => {
      const { method, url = "", headers, socket } = incoming;
      if (url.startsWith("/token")) {
        return outgoing.end(JSON.stringify({ token: `token-${++tokens}`, expires_in: 300 }));
      }
      const host = headers.host ?? "";
      const token = headers.authorization;
      const isDead = token === undefined || (token === "Bearer token-1" && puts.length > 0);
      const challenge = `Bearer realm="http://${host}/token",service="${host}"`;
      const refuse = () => outgoing.writeHead(401, { "www-authenticate": challenge }).end();
      if (method === "POST") {
        if (isDead) return refuse();
        return outgoing.writeHead(202, { location: "/v2/app/blobs/uploads/1" }).end();
      }
      const put = { token, size: 0 };
      puts.push(put);
      for await (const chunk of incoming as AsyncIterable<Buffer>) {
        put.size += chunk.length;
        if (token !== "Bearer token-1" || put.size < 1_000_000) continue;
        if (end === "is cut") return socket.destroy();
        outgoing.on("finish", () => socket.destroy());
        return refuse();
      }
      return outgoing.writeHead(201).end();
    });
    let read = 0;
    await server.place.pushBlob({
      digest: blob.digest,
      size: blob.bytes.length,
      async *read() {
        for (let at = 0; at < blob.bytes.length; at += 100_000) {
          read += 100_000;
          yield blob.bytes.subarray(at, at + 100_000);
        }
      },
    });
    expect(puts.map(({ token }) => token)).toEqual(["Bearer token-1", "Bearer token-2"]);
    expect(puts.at(-1)?.size).toBe(blob.bytes.length);
    expect(read).toBeLessThanOrEqual(2 * blob.bytes.length);
  },
);
