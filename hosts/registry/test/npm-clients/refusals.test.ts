import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { publishBody } from "@sealhouse/npm-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isExtended } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import type { ClientName } from "./installed-clients.ts";
import { quickClients, testedClients } from "./installed-clients.ts";
import { openNpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";
import { packumentOf } from "./packuments.ts";
import { openRecordingProxy } from "./recording-proxy.ts";

const TARBALL_BYTES_MAX = 200_000;
/** yarn 1 shows no text of the registry's at all. */
const SHOW_TEXTS: readonly ClientName[] = ["npm-11", "npm-12", "pnpm-12", "yarn-4", "bun"];

const names = testedClients();
const tellers = names.filter((name) => SHOW_TEXTS.includes(name));

describe("what is refused", () => {
  const cleanUp = new AsyncDisposableStack();
  let clients: NpmClients;

  beforeAll(async () => {
    const env = { Feed__Npm__MaxTarballBytes: String(TARBALL_BYTES_MAX) };
    clients = cleanUp.use(await openNpmClients({ only: names, env }));
  });
  afterAll(() => cleanUp.disposeAsync());

  test("the same request once more is the same publish", async () => {
    const { host, token } = clients;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = publishBody({ name: "replayed" });
    const put = () => host.fetch("/npm/replayed", { method: "PUT", headers, body });
    const answers = [await put(), await put()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("a version without its tarball is refused, and stores nothing", async () => {
    const { host, token } = clients;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const { _attachments: _, ...document } = JSON.parse(
      publishBody({ name: "without-tarball", version: "1.2.3" }),
    ) as Readonly<Record<string, unknown>>;
    const put = { method: "PUT", headers, body: JSON.stringify(document) };
    const answer = await host.fetch("/npm/without-tarball", put);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("1.2.3")]);
    expect((await host.fetch("/npm/without-tarball")).status).toBe(404);
  });

  const NOTICED = names.filter((name) => name.startsWith("npm-"));
  test.concurrent.each(NOTICED)("%s shows which files differ only in case", async (name) => {
    const client = clients.client(name);
    const called = `case-twins-${name}`;
    const files = { "index.js": "", "lib/A.js": "", "lib/a.js": "" };
    const folder = await client.folder({ name: called, version: "1.0.0" }, files);
    const published = await client.publish(folder);
    expect(published.code, published.output).toBe(0);
    expect(published.output).toMatch(/npm notice .*lib\/[aA]\.js.*differ in letter case only/);
    const project = await client.project({ [called]: "1.0.0" });
    expect((await client.install(project)).code).toBe(0);
  });

  test.concurrent.each(quickClients())(
    "%s shows that a repeated publish sets no tag",
    async (name) => {
      const client = clients.client(name);
      const source = await client.source(`retagged-${name}`, "1.0.0");
      expect((await client.publish(source)).code).toBe(0);
      const again = await client.publish(source, "--tag", "next");
      // pnpm asks whether the version is there, and sends nothing then.
      const sent = client.requests().filter(({ path }) => path.includes(`retagged-${name}`));
      if (sent.filter(({ method }) => method === "PUT").length < 2) return;
      expect(again.code, again.output).not.toBe(0);
      if (SHOW_TEXTS.includes(name)) expect(again.output).toContain("npm dist-tag add");
      const { "dist-tags": tags } = await packumentOf(clients, `retagged-${name}`);
      expect(tags).toEqual({ latest: "1.0.0" });
    },
  );

  const REPEATERS = names.filter((name) => name.startsWith("npm-"));
  test.concurrent.each(REPEATERS)("%s may lose the answer to a publish", async (name) => {
    await using own = new AsyncDisposableStack();
    const { path: folder } = own.use(await openFolder());
    const { host, token } = clients;
    const proxy = own.use(await openRecordingProxy(host.url, { losesFirst: "PUT" }));
    const client = own.use(await openNpmClient(name, { folder, url: proxy.url, token }));
    const source = await client.source(`lost-${name}`, "1.0.0");
    await writeFile(join(source, ".npmrc"), "fetch-retry-mintimeout=10\n");
    const sent = await client.publish(source);
    expect(sent.code, sent.output).toBe(0);
    const puts = proxy.taken().filter(({ method }) => method === "PUT");
    expect(puts.map(({ status }) => status)).toEqual([200, 200]);
  });

  test.concurrent.each(tellers)("%s shows that a package is too large, and why", async (name) => {
    const client = clients.client(name);
    const large = await client.source(`large-${name}`, "1.0.0");
    await writeFile(join(large, "noise.bin"), randomBytes(2 * TARBALL_BYTES_MAX));
    const refused = await client.publish(large);
    expect(refused.code, refused.output).not.toBe(0);
    expect(refused.output).toMatch(/larger than|too large|at most/);
    const headers = { authorization: `Bearer ${clients.token}` };
    expect((await clients.host.fetch(`/npm/large-${name}`, { headers })).status).toBe(404);
  });
});

describe("a refusal of any kind", () => {
  test.each(isExtended ? [400, 402, 409, 422, 500] : [422])(
    "is read out by every client: %i",
    async (status) => {
      await using own = new AsyncDisposableStack();
      const { path: folder } = own.use(await openFolder());
      const text = `the moon is in the way (${status})`;
      const url = await openRefusing(own, status, text);
      await Promise.all(
        tellers.map(async (name) => {
          const client = own.use(await openNpmClient(name, { folder, url, token: "shp_any" }));
          const source = await client.source("refused", "1.0.0");
          if (name.startsWith("npm-")) {
            await writeFile(join(source, ".npmrc"), "fetch-retries=0\n");
          }
          const refused = await client.publish(source);
          expect(refused.code, refused.output).not.toBe(0);
          expect(refused.output, name).toContain(text);
        }),
      );
    },
  );
});

/** A stand-in that refuses every publish in the form that our registry has for it. */
async function openRefusing(
  cleanUp: AsyncDisposableStack,
  status: number,
  text: string,
): Promise<string> {
  const server = createServer((request, response) => {
    const answered = request.method === "PUT" ? status : 404;
    request.resume().on("end", () => {
      response.writeHead(answered, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: text, message: text }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}
