import { once } from "node:events";
import { createServer } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import type { Answer } from "./real-server.test.support.ts";
import { ask, openServer } from "./real-server.test.support.ts";
import { renderDocument } from "./rendered-document.ts";
import { sendDocument, writeDocument } from "./send-document.ts";
import type { StoredDocument } from "./stored-document.ts";

const text = JSON.stringify({ text: "words ".repeat(1_000) });
const modifiedAt = new Date("2026-11-21T10:20:30.456Z");
const rendered = await renderDocument(text, {
  contentType: "application/json",
  now: () => modifiedAt,
});
const { etag } = rendered;
const options = {
  cacheControl: "no-cache",
  vary: "Accept",
  headers: { "x-surface": "npm" },
};

function appFor(document: StoredDocument): Hono {
  const app = new Hono();
  app.get("/", (c) => {
    c.header("x-request-id", "r-1");
    c.header("vary", "Origin");
    return sendDocument(c, document, options);
  });
  return app;
}

type TestRequest = { readonly method?: string; readonly headers?: Record<string, string> };

const transports: Record<
  string,
  (document: StoredDocument, httpRequest: TestRequest) => Promise<Answer>
> = {
  "a Node server": async (document, testRequest) => {
    await using server = await openServer(appFor(document));
    return await ask(server.port, testRequest);
  },
  "app.request": async (document, testRequest) => {
    const answer = await appFor(document).request("/", testRequest);
    return {
      status: answer.status,
      statusMessage: answer.statusText,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  },
};

const { gzip, zstd, identity } = rendered;
if (!gzip || !zstd) throw new Error("not compressed");

const cases = [
  { accept: undefined, form: identity, coding: undefined, tag: `"${etag}"` },
  { accept: "identity", form: identity, coding: undefined, tag: `"${etag}"` },
  { accept: "gzip,deflate", form: gzip, coding: "gzip", tag: `"${etag}.gzip"` },
  { accept: "zstd,gzip,deflate", form: zstd, coding: "zstd", tag: `"${etag}.zstd"` },
  { accept: "deflate", form: identity, coding: undefined, tag: `"${etag}"` },
  { accept: "*;q=0", form: identity, coding: undefined, tag: `"${etag}"` },
];

for (const [transport, fetchFrom] of Object.entries(transports)) {
  describe(`on ${transport}`, () => {
    test.each(cases)("Accept-Encoding: $accept gets $coding", async (testCase) => {
      const headers: Record<string, string> = testCase.accept
        ? { "accept-encoding": testCase.accept }
        : {};
      const expected = {
        "content-type": "application/json",
        "content-length": String(testCase.form.length),
        "cache-control": "no-cache",
        "last-modified": "Sat, 21 Nov 2026 10:20:30 GMT",
        "x-surface": "npm",
        "x-request-id": "r-1",
        vary: "Origin, Accept-Encoding, Accept",
        etag: testCase.tag,
      };
      const answer = await fetchFrom(rendered, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject(expected);
      expect(answer.headers["content-encoding"]).toBe(testCase.coding);
      expect(answer.headers["transfer-encoding"]).toBeUndefined();
      expect(answer.body.equals(testCase.form)).toBe(true);

      const head = await fetchFrom(rendered, { method: "HEAD", headers });
      expect(head.status).toBe(200);
      expect(head.headers).toMatchObject(expected);
      expect(head.body.length).toBe(0);

      const again = await fetchFrom(rendered, {
        headers: { ...headers, "if-none-match": testCase.tag },
      });
      expect(again.status).toBe(304);
      expect(again.body.length).toBe(0);
      expect(again.headers).toMatchObject({
        etag: testCase.tag,
        vary: "Origin, Accept-Encoding, Accept",
        "cache-control": "no-cache",
        "x-request-id": "r-1",
      });
      expect(again.headers["content-type"]).toBeUndefined();
      expect(again.headers["content-encoding"]).toBeUndefined();
    });

    test.each([
      ["if-none-match", "*", 304],
      ["if-none-match", `"other", W/"${etag}.gzip"`, 304],
      ["if-none-match", `"${etag}.gzip-gzip"`, 304],
      ["if-none-match", `"${etag}"`, 304],
      ["if-none-match", `W/"${etag}.zstd"`, 304],
      ["if-none-match", `"other", "${etag}.br"`, 304],
      ["if-none-match", '"other"', 200],
      ["if-none-match", `"${etag}.other"`, 200],
      ["if-none-match", `"${etag.slice(1)}"`, 200],
      ["if-modified-since", "Sat, 21 Nov 2026 10:20:30 GMT", 200],
    ])("a client that asks for gzip and says %s: %s gets %i", async (name, value, status) => {
      const headers = { "accept-encoding": "gzip", [name]: value };
      expect((await fetchFrom(rendered, { headers })).status).toBe(status);
    });

    test.each(["", ".gzip", ".zstd", ".br"])(
      "a 304 names the tag that the client has, whatever it accepts now: x%s",
      async (form) => {
        const tag = `"${etag}${form}"`;
        for (const accept of ["identity", "gzip", "zstd, gzip", "br"]) {
          const headers = { "accept-encoding": accept, "if-none-match": tag };
          const answer = await fetchFrom(rendered, { headers });
          expect([answer.status, answer.headers["etag"]]).toEqual([304, tag]);
          const whole = await fetchFrom(rendered, { headers: { "accept-encoding": accept } });
          expect(whole.status).toBe(200);
        }
      },
    );

    test("a tag of a proxy that compressed the plain form gets 304", async () => {
      const headers = { "if-none-match": `"${etag}--gzip"` };
      const answer = await fetchFrom(rendered, { headers });
      expect(answer).toMatchObject({ status: 304, headers: { etag: `"${etag}"` } });
    });

    test("a small document without compressed forms does not vary by encoding", async () => {
      const small = await renderDocument("[]", { contentType: "application/json" });
      const answer = await fetchFrom(small, { headers: { "accept-encoding": "gzip" } });
      expect(answer.headers.vary).toBe("Origin, Accept");
      expect(answer.headers["content-length"]).toBe("2");
      expect(answer.body.toString()).toBe("[]");
    });
  });
}

test("a document gets a Brotli form after its second request", async () => {
  const document = await renderDocument(text, { contentType: "application/json" });
  const headers = { "accept-encoding": "gzip, deflate, br" };
  const read = (more: Record<string, string> = {}) =>
    appFor(document).request("/", { headers: { ...headers, ...more } });
  const first = await read();
  expect(first.headers.get("content-encoding")).toBe("gzip");
  const answer = await vi.waitFor(async () => {
    const later = await read();
    expect(later.headers.get("content-encoding")).toBe("br");
    return later;
  });
  const body = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get("content-length")).toBe(String(body.length));
  expect(answer.headers.get("etag")).toBe(`"${document.etag}.br"`);
  expect(brotliDecompressSync(body).toString()).toBe(text);

  for (const tag of [`"${document.etag}.br"`, `"${document.etag}.gzip"`]) {
    const cachedAnswer = await read({ "if-none-match": tag });
    expect([cachedAnswer.status, cachedAnswer.headers.get("etag")]).toEqual([304, tag]);
  }
  expect((await read({ "if-none-match": '"other"' })).status).toBe(200);
});

test("does not compress a small document", async () => {
  const small = await renderDocument("[]", { contentType: "application/json" });
  const headers = { "accept-encoding": "br" };
  const codings = [];
  for (let times = 0; times < 4; times += 1) {
    const answer = await appFor(small).request("/", { headers });
    codings.push(answer.headers.get("content-encoding"));
  }
  expect(codings).toEqual([null, null, null, null]);
});

test("writeDocument answers without Hono", async () => {
  const server = createServer((incoming, outgoing) => {
    writeDocument(incoming, outgoing, rendered, { cacheControl: "no-cache" });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const headers = { "accept-encoding": "gzip" };
  const answer = await ask(address.port, { headers });
  expect(gunzipSync(answer.body).toString()).toBe(text);
  expect(answer.headers["vary"]).toBe("Accept-Encoding");
  const head = await ask(address.port, { method: "HEAD", headers });
  expect(head.headers["content-length"]).toBe(String(answer.body.length));
  server.close();
});
