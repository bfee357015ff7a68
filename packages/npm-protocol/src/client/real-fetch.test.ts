import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openNpmClient } from "./open-client.ts";

/** Calls of the client with Node's own `fetch`, over a socket. */
async function openServer(answer: RequestListener) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming.headers);
    answer(incoming, outgoing);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    client: openNpmClient({ registry: new URL(`http://127.0.0.1:${port}/npm`), fetch }),
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

test("a cache may answer a conditional request", async () => {
  const document = gzipSync(JSON.stringify({ name: "demo", versions: {} }));
  await using server = await openServer(({ headers }, outgoing) => {
    // As Express decides it.
    const isFresh = headers["if-none-match"] === '"x"' && headers["cache-control"] !== "no-cache";
    if (isFresh) return outgoing.writeHead(304).end();
    return outgoing.writeHead(200, { "content-encoding": "gzip", etag: '"x"' }).end(document);
  });
  expect(await server.client.packument("demo")).toMatchObject({ status: "found", etag: '"x"' });
  expect(await server.client.packument("demo", { etag: '"x"' })).toEqual({ status: "unchanged" });
});

test("an upload has a length, and arrives unchanged", async () => {
  const received: Buffer[] = [];
  await using server = await openServer((incoming, outgoing) => {
    incoming.on("data", (chunk: Buffer) => received.push(chunk));
    incoming.on("end", () => outgoing.writeHead(201).end("{}"));
  });
  const pieces = [1, 2, 3, 4, 5, 60_001].map((size) => Buffer.alloc(size, size));
  const bytes = Buffer.concat(pieces);
  const outcome = await server.client.publish({
    name: "@acme/demo",
    version: "1.0.0",
    manifest: { name: "@acme/demo", version: "1.0.0" },
    tags: ["latest"],
    readme: "Ünïcode",
    tarball: {
      size: bytes.length,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
      shasum: createHash("sha1").update(bytes).digest("hex"),
      async *read() {
        yield* pieces;
      },
    },
  });
  expect(outcome).toEqual({ status: "published" });
  const body = Buffer.concat(received);
  expect(server.seen[0]?.["content-length"]).toBe(String(body.length));
  const { _attachments: attachments, readme } = JSON.parse(body.toString());
  const [attachment] = Object.values<{ data: string; length: number }>(attachments);
  expect(Buffer.from(attachment?.data ?? "", "base64").equals(bytes)).toBe(true);
  expect(attachment?.length).toBe(bytes.length);
  expect(readme).toBe("Ünïcode");
});
