import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openNuGetClient } from "./open-client.ts";

/** Calls of the client with Node's own `fetch`, over a socket. */
async function openServer(answer: RequestListener) {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url !== "/v3/index.json") return answer(incoming, outgoing);
    const origin = `http://${incoming.headers.host}`;
    const resources = [
      { "@id": `${origin}/push`, "@type": "PackagePublish/2.0.0" },
      { "@id": `${origin}/content/`, "@type": "PackageBaseAddress/3.0.0" },
    ];
    const index = gzipSync(JSON.stringify({ version: "3.0.0", resources }));
    return outgoing.writeHead(200, { "content-encoding": "gzip" }).end(index);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const source = new URL(`http://127.0.0.1:${port}/v3/index.json`);
  return {
    client: openNuGetClient({ source, fetch, apiKey: "key" }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync<Buffer>(incoming)).toString();
}

async function* theUpload() {
  yield Buffer.from("the ");
  yield Buffer.from("package");
}

test.each([[11], [undefined]])("uploads a form; its length is known: %s", async (size) => {
  const seen: { headers: IncomingMessage["headers"]; body: string }[] = [];
  await using server = await openServer(async (incoming, outgoing) => {
    seen.push({ headers: incoming.headers, body: await bodyOf(incoming) });
    outgoing.writeHead(201).end();
  });
  const file = { read: theUpload, ...(size !== undefined && { size }) };
  expect(await server.client.push(file)).toEqual({ status: "pushed" });
  const [{ headers, body } = { headers: {}, body: "" }] = seen;
  const [, boundary = ""] = /boundary="(.+)"/.exec(headers["content-type"] ?? "") ?? [];
  expect(body).toMatch(new RegExp(`^--${boundary}\r\n[^]+\r\n\r\nthe package\r\n--${boundary}--`));
  expect(headers["x-nuget-apikey"]).toBe("key");
  if (size === undefined) expect(headers["transfer-encoding"]).toBe("chunked");
  else expect(headers["content-length"]).toBe(String(body.length));
});

test("follows redirects by itself, and streams what it finds there", async () => {
  await using server = await openServer((incoming, outgoing) => {
    if (incoming.url === "/blob") return outgoing.end("the package");
    return outgoing.writeHead(302, { location: "/blob" }).end();
  });
  await using download = await server.client.package({ id: "acme", version: "1.0.0" });
  const body = Buffer.concat(await Array.fromAsync(download?.body ?? []));
  expect(body.toString()).toBe("the package");
  expect(download?.size).toBe(11);
});

test("a server that answers before it has read the upload is heard", async () => {
  await using server = await openServer((incoming, outgoing) => {
    outgoing.writeHead(413, {
      "x-nuget-warning": "The package is too large.",
      connection: "close",
    });
    outgoing.end();
    incoming.resume();
  });
  expect(await server.client.push({ read: theUpload, size: 11 })).toEqual({
    status: "refused",
    httpStatus: 413,
    reason: "The package is too large.",
  });
});
