import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { presignature } from "../../src/testing/presigning-storage-stand-in.ts";
import { openFolder } from "../clients/client.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const names = testedClients();
const STAND_IN = fileURLToPath(
  new URL("../../src/testing/presigning-storage-stand-in.ts", import.meta.url),
);

const cleanUp = new AsyncDisposableStack();
let clients: NpmClients;
let bucket: Bucket;

beforeAll(async () => {
  const { path: folder } = cleanUp.use(await openFolder());
  bucket = cleanUp.use(await openBucket(folder));
  const env = {
    Host__Extensions__0: STAND_IN,
    Storage__Type: "Presigning",
    Storage__RedirectDownloads: "true",
    Storage__Presigning__Folder: folder,
    Storage__Presigning__Url: bucket.url,
    Feed__Authentication__AllowAnonymousPull: "false",
  };
  clients = cleanUp.use(await openNpmClients({ only: names, env }));
  const [publisher] = clients.all.toReversed();
  if (!publisher) return;
  for (const name of names) await publishLarge(publisher, `@acme/${name}`);
});
afterAll(() => cleanUp.disposeAsync());

/** Too much to be kept in the database, which no client reads by itself. */
async function publishLarge(client: NpmClient, name: string): Promise<void> {
  const source = await client.source(name, "1.0.0");
  await writeFile(join(source, "asset.bin"), randomBytes(20_000));
  const { code, output } = await client.publish(source);
  expect(code, output).toBe(0);
}

test.concurrent.each(names)("%s follows to another host, without its token", async (name) => {
  const client = clients.client(name);
  const project = await client.project({ [`@acme/${name}`]: "1.0.0" });
  const ran = await client.install(project);
  expect(ran.code, ran.output).toBe(0);
  const file = join(project, "node_modules", "@acme", name, "index.js");
  expect(await readFile(file, "utf8")).toContain(`@acme/${name}@1.0.0`);

  const tarballs = client.requests().filter(({ path }) => path.endsWith(".tgz"));
  expect(tarballs.map(({ status }) => status)).toEqual([302]);
  for (const { headers, answered } of tarballs) {
    expect(headers["authorization"]).toMatch(/^Bearer shp_/);
    expect(answered).toMatchObject({ "cache-control": "no-store" });
    const { host, pathname } = new URL(String(answered["location"]));
    expect(host).toBe(new URL(bucket.url).host);
    const [fetched, ...more] = bucket.requests.filter(({ path }) => path === pathname);
    expect([fetched?.status, more.length]).toEqual([200, 0]);
    expect(fetched?.headers).not.toHaveProperty("authorization");
    expect(JSON.stringify(fetched)).not.toContain("shp_");
  }
});

test("does not redirect requests that only check existence or hold a current copy", async () => {
  const [name] = names;
  const path = `/npm/@acme/${name}/-/${name}-1.0.0.tgz`;
  const headers = { authorization: `Bearer ${clients.token}` };
  const head = await clients.host.fetch(path, { method: "HEAD", headers });
  expect(head.status).toBe(200);
  const cacheHeaders = { ...headers, "if-none-match": head.headers.get("etag") ?? "" };
  expect((await clients.host.fetch(path, { headers: cacheHeaders })).status).toBe(304);
  expect((await clients.host.fetch(path, { redirect: "manual" })).status).toBe(401);
});

type Bucket = AsyncDisposable & {
  /** By another name of this machine than the host has. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
};
type ReceivedRequest = {
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
};

/** A stand-in for a bucket: returns an object for a signed address that has not expired. */
async function openBucket(folder: string): Promise<Bucket> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { pathname: path, searchParams } = new URL(incoming.url ?? "/", "http://bucket");
    const expires = searchParams.get("expires") ?? "";
    const isSigned = searchParams.get("signature") === presignature(path.slice(1), expires);
    const status = isSigned && Number(expires) > Date.now() ? 200 : 403;
    requests.push({ path, status, headers: incoming.headers });
    const body = status === 200 ? await readFile(join(folder, path)) : "AccessDenied";
    outgoing.writeHead(status, { "content-type": "binary/octet-stream" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the bucket has no port");
  return {
    url: `http://localhost:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
