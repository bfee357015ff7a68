import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { get } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

/** Clients that keep documents and ask whether they are still good. */
const ASK_AGAIN: readonly ClientName[] = ["npm-11", "npm-12", "pnpm-12", "bun"];
const ABBREVIATED = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

const names = testedClients();
const npms = names.filter((name) => name.startsWith("npm-"));
const cleanUp = new AsyncDisposableStack();
let clients: NpmClients;

beforeAll(async () => {
  const env = { Feed__Authentication__AllowAnonymousPull: "false" };
  clients = cleanUp.use(await openNpmClients({ only: names, env }));
  // The host keeps documents for the first addresses it is reached by.
  await ask("/npm/@acme%2fkept", {});
  const [client] = clients.all;
  if (!client) return;
  for (const version of ["1.0.0", "1.1.0"]) {
    // Long enough to be compressed, with a pause to distinguish the two.
    const more = { description: "kept ".repeat(500) };
    const sent = await client.publish(await client.source("@acme/kept", version, more));
    expect(sent.code, sent.output).toBe(0);
    await sleep(20);
  }
});
afterAll(() => cleanUp.disposeAsync());

describe("does not send a known document again", () => {
  const asking = names.filter((name) => ASK_AGAIN.includes(name));
  test.concurrent.each(asking)(
    "%s with a warm cache gets 304, or asks for nothing",
    async (name) => {
      const client = await clients.another(name);
      const install = async () => {
        const project = await client.project({ "@acme/kept": "^1.0.0" });
        const installed = await client.install(project);
        expect(installed.code, installed.output).toBe(0);
        return client.requests().filter(({ path }) => path.includes("kept"));
      };
      const cold = await install();
      expect(cold.map(({ status }) => status)).toEqual([200, 200]);
      const warm = await install();
      expect(warm.filter(({ status }) => status !== 304)).toEqual([]);
      for (const { answered } of warm) expectHeaders(answered);
    },
  );

  test.concurrent.each(npms)("%s that revalidates gets 304, with every header", async (name) => {
    const machine = await clients.another(name);
    const install = async (...more: string[]) => {
      const project = await machine.project({ "@acme/kept": "^1.0.0" });
      const installed = await machine.run(["install", ...more], { cwd: project });
      expect(installed.code, installed.output).toBe(0);
      return machine.requests().filter(({ path }) => path.endsWith("kept"));
    };
    await install();
    const requests = await install("--prefer-online");
    expect(requests.map(({ status }) => status)).toEqual([304]);
    for (const { answered } of requests) expectHeaders(answered);
  });

  test.concurrent.each(npms)("%s on another machine sees a new version at once", async (name) => {
    const machine = await clients.another(name);
    const called = `fresh-${name}`;
    const client = clients.client(name);
    await client.publish(await client.source(called, "1.0.0"));
    expect((await machine.run(["view", called, "version"])).stdout.trim()).toBe("1.0.0");
    await client.publish(await client.source(called, "2.0.0"));
    expect((await machine.run(["view", called, "version"])).stdout.trim()).toBe("2.0.0");
    const project = await machine.project({ [called]: "2.0.0" });
    expect((await machine.install(project)).code).toBe(0);
  });
});

describe("documents in every encoding", () => {
  const forms = [
    ["full", "application/json"],
    ["abbreviated", ABBREVIATED],
  ] as const;

  test.each(forms)("the %s document is the same, with its length", async (_, accept) => {
    const plain = await ask("/npm/@acme%2fkept", { accept });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const tags = new Set([plain.headers.etag ?? ""]);
    for (const [encoding, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
      ["zstd", zstdDecompressSync],
    ] as const) {
      const headers = { accept, "accept-encoding": encoding };
      // Brotli is made when it is asked for, not before.
      const answer = await vi.waitFor(async () => {
        const response = await ask("/npm/@acme%2fkept", headers);
        expect(response.headers["content-encoding"]).toBe(encoding);
        return response;
      });
      expect(answer.headers["content-length"]).toBe(String(answer.body.length));
      expect(answer.headers["transfer-encoding"]).toBeUndefined();
      expect(decode(answer.body).equals(plain.body)).toBe(true);
      expectHeaders(answer.headers);
      const etag = answer.headers.etag ?? "";
      const again = await ask("/npm/@acme%2fkept", { ...headers, "if-none-match": etag });
      expect([again.status, again.headers.etag]).toEqual([304, etag]);
      tags.add(etag);
    }
    expect(tags.size).toBe(4);
    // A cache may store the answer to a client that accepts another encoding.
    for (const encoding of ["identity", "gzip", "br", "zstd"]) {
      for (const etag of tags) {
        const headers = { accept, "accept-encoding": encoding, "if-none-match": etag };
        const { status } = await ask("/npm/@acme%2fkept", headers);
        expect(status, `${encoding} ${etag}`).toBe(304);
      }
    }
  });
});

describe("what is too young", () => {
  test.skipIf(!names.includes("pnpm-12"))("pnpm 12 asks once to learn it", async () => {
    const client = clients.client("pnpm-12");
    await client.clearCache();
    client.requests();
    const project = await client.folder({
      name: "consumer",
      version: "1.0.0",
      dependencies: { "@acme/kept": "^1.0.0" },
    });
    const installed = await client.install(project);
    expect(installed.code, installed.output).toBe(0);
    const requests = client.requests().filter(({ path }) => path.endsWith("kept"));
    expect(requests.map(({ accept, status }) => [accept, status])).toEqual([[ABBREVIATED, 200]]);
  });

  test.skipIf(!names.includes("yarn-4"))("yarn 4 holds it back, and reports that", async () => {
    const client = clients.client("yarn-4");
    const project = await client.project({ "@acme/kept": "^1.0.0" });
    const env = { YARN_NPM_MINIMAL_AGE_GATE: "1440" };
    const installed = await client.run(["install"], { cwd: project, env });
    expect(installed.code).not.toBe(0);
    expect(installed.output).toMatch(/quarantin/);
  });

  test.each(npms)("%s takes what there was at a date", async (name) => {
    const answer = await ask("/npm/@acme%2fkept", { accept: "application/json" });
    const { time } = JSON.parse(answer.body.toString()) as { time: Record<string, string> };
    const client = clients.client(name);
    const project = await client.project({ "@acme/kept": "^1.0.0" });
    const words = ["install", "--before", time["1.0.0"] ?? ""];
    const installed = await client.run(words, { cwd: project });
    expect(installed.code, installed.output).toBe(0);
    const listed = await client.run(["ls", "@acme/kept"], { cwd: project });
    expect(listed.stdout).toContain("@acme/kept@1.0.0");
  });
});

/** Headers of 200 and of 304. The host requires a token for reads. */
function expectHeaders(headers: IncomingHttpHeaders): void {
  expect(headers["cache-control"]).toBe("private, max-age=60");
  expect(headers.etag).toMatch(/^"[\w.-]+"$/);
  expect(headers.vary?.toLowerCase()).toContain("accept");
  expect(headers.vary?.toLowerCase()).toContain("authorization");
}

type TestAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Nothing is decoded on the way. */
function ask(path: string, headers: Readonly<Record<string, string>>): Promise<TestAnswer> {
  const authorization = `Bearer ${clients.token}`;
  return new Promise((resolve, reject) => {
    const request = get(`${clients.host.url}${path}`, { headers: { ...headers, authorization } });
    request.once("error", reject).once("response", (response) => {
      const parts: Buffer[] = [];
      response
        .on("data", (part: Buffer) => parts.push(part))
        .on("end", () => {
          const { statusCode: status = 0 } = response;
          resolve({ status, headers: response.headers, body: Buffer.concat(parts) });
        });
    });
  });
}
