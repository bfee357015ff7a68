import { readFile } from "node:fs/promises";
import { listen } from "@sealhouse/http-server";
import { parseListenAddresses } from "@sealhouse/http-server/settings";
import { afterAll, describe, expect, test } from "vitest";
import { runInProcess, spawnHost } from "../src/testing/index.ts";
import { hasClient, openFolder } from "./clients/client.ts";
import { makeServerCertificate } from "./clients/certificate-authority.ts";
import { freePort } from "./free-port.ts";

const FOLDER = await openFolder();
afterAll(() => FOLDER[Symbol.asyncDispose]());

/** Listens as the host does. It records the requests, and answers them with `status`. */
async function serve(url: string, status: number, certificate?: { cert: string; key: string }) {
  const requests: string[] = [];
  const server = await listen({
    addresses: parseListenAddresses(url, expect.unreachable),
    ...(certificate && { certificate }),
    idleTimeoutMs: 10_000,
    listener: (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(status).end("Healthy");
    },
  });
  return { requests, [Symbol.asyncDispose]: async () => void (await server.stop(1_000)) };
}

function health(urls: string, settings: Readonly<Record<string, string>> = {}) {
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    ASPNETCORE_URLS: urls,
    Host__DataPath: FOLDER.path,
    ...settings,
  };
  return runInProcess(["health"], { folder: FOLDER.path, env });
}

test.each(["+", "*", "localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::1]"])(
  "reports a host that listens on %s as healthy when it answers 200",
  async (name) => {
    const url = `http://${name}:${await freePort()}`;
    await using server = await serve(url, 200);
    expect(await health(`${url};http://127.0.0.1:1`)).toEqual({
      code: 0,
      printed: "healthy",
      stderr: "",
    });
    expect(server.requests).toEqual(["GET /health/ready"]);
  },
);

test("reports the status of a host that is not ready", async () => {
  const port = await freePort();
  await using server = await serve(`http://+:${port}`, 503);
  const { code, printed } = await health(`http://+:${port}`);
  expect([code, printed]).toEqual([
    1,
    `unhealthy: http://127.0.0.1:${port}/health/ready answered 503`,
  ]);
  expect(server.requests).toHaveLength(1);
});

test("fails when no process listens", async () => {
  const port = await freePort();
  const { code, stderr } = await health(`http://+:${port}`);
  expect(code).toBe(1);
  expect(stderr).toContain(`no answer from http://127.0.0.1:${port}/health/ready`);
  expect(stderr).toContain("ECONNREFUSED");
});

test("refuses an address without a port", async () => {
  const { code, stderr } = await health("http://127.0.0.1:0");
  expect(code).toBe(1);
  expect(stderr).toContain("set ASPNETCORE_URLS to an address with a port");
});

describe.skipIf(!hasClient("openssl"))("a host with https", () => {
  test("is healthy, whatever the name in its certificate", async () => {
    const files = await makeServerCertificate(FOLDER.path, "DNS:packages.example");
    const certificate = {
      cert: await readFile(files.certificate, "utf8"),
      key: await readFile(files.key, "utf8"),
    };
    const url = `https://+:${await freePort()}`;
    await using server = await serve(url, 200, certificate);
    const tls = {
      Kestrel__Certificates__Default__Path: files.certificate,
      Kestrel__Certificates__Default__KeyPath: files.key,
    };
    expect(await health(url, tls)).toMatchObject({ code: 0, printed: "healthy" });
    expect(server.requests).toHaveLength(1);
  });
});

test("a host with a delay is not ready after SIGTERM, and serves until the delay ends", async () => {
  await using stopping = await spawnHost({ env: { Host__ShutdownDelay: "01:00:00" } });
  process.kill(stopping.pid, "SIGTERM");
  const statusOf = async (path: string) => (await stopping.fetch(path)).status;
  await expect.poll(() => statusOf("/health/ready"), { timeout: 30_000 }).toBe(503);
  expect(await statusOf("/health/live")).toBe(200);
  expect(await statusOf("/v3/index.json")).toBe(200);
  // The code of its first signal.
  expect(await stopping.stop()).toBe(143);
});
