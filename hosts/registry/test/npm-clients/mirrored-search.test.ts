import { publishBody } from "@sealhouse/npm-protocol/testing";
import { openScriptedRegistry, PUBLISHED_AT } from "@sealhouse/upstream-sources/testing";
import type { ScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addSource } from "../upstream/add-source.ts";
import type { ClientName } from "./installed-clients.ts";
import { testedClients } from "./installed-clients.ts";
import type { NpmClient } from "./npm-client.ts";
import type { NpmClients } from "./npm-clients.ts";
import { openNpmClients } from "./npm-clients.ts";

const SEARCHERS: readonly ClientName[] = ["npm-11", "npm-12", "pnpm-12"];
const names = SEARCHERS.filter((name) => testedClients().includes(name));
const DAY_MS = 24 * 60 * 60_000;
const TIMEOUT_MS = 1_000;

const cleanUp = new AsyncDisposableStack();
let upstream: ScriptedRegistry;
let clients: NpmClients;

beforeAll(async () => {
  upstream = cleanUp.use(await openScriptedRegistry());
  upstream.publish("pad", "1.0.0", "9.0.0");
  upstream.publish("@acme/pad", "9.0.0");
  upstream.publish("pad-left", "1.0.0", "1.1.0");
  upstream.publish("pad-young", "1.0.0", "1.1.0");
  upstream.publish("pad-bare", "2.0.0");
  upstream.change("pad-young", ({ time }) => {
    time["1.1.0"] = new Date(Date.now() - DAY_MS).toISOString();
  });
  const env = {
    Search__EnableUpstreamSearch: "true",
    Search__UpstreamSearchTimeout: "00:00:01",
  };
  clients = cleanUp.use(await openNpmClients({ only: names, env }));
  const published = await clients.host.fetch("/npm/pad", {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${clients.token}` },
    body: publishBody({ name: "pad", version: "1.2.0" }),
  });
  expect(published.status).toBe(200);
  const settings = { deny: ["@acme/*"], minimumReleaseAgeMs: 7 * DAY_MS };
  await addSource(clients.host, { name: "upstream", protocol: "npm", url: upstream.url, settings });
});
afterAll(() => cleanUp.disposeAsync());

async function search(client: NpmClient, words: readonly string[]) {
  const { code, stdout, output } = await client.run(["search", "--json", ...words]);
  expect(code, output).toBe(0);
  const hits = JSON.parse(stdout) as readonly { readonly name: string; readonly version: string }[];
  return hits.map(({ name, version }) => `${name} ${version}`);
}

describe.skipIf(names.length === 0)("packages of a source, as clients find them", () => {
  test.each(names)("%s finds own packages, then allowed versions of the source", async (name) => {
    const client = clients.client(name);
    const expected = ["pad 1.2.0", "pad-left 1.1.0", "pad-young 1.0.0", "pad-bare 2.0.0"];
    expect(await search(client, ["pad"])).toEqual(expected);
    const limit = name === "pnpm-12" ? "--search-limit=2" : "--searchlimit=2";
    expect(await search(client, [limit, "pad"])).toEqual(expected.slice(0, 2));
    const { stdout } = await client.run(["search", "pad-left"]);
    expect(stdout).toContain("pad-left of the source");
    expect(stdout).toContain(`${PUBLISHED_AT.slice(0, 10)} by upstream-ann`);
    expect(stdout).not.toContain(upstream.url);
  });

  test.each(names)("%s finds own packages while the source is silent or fails", async (name) => {
    const client = clients.client(name);
    upstream.fault = () => true;
    const begun = Date.now();
    expect(await search(client, ["pad"])).toEqual(["pad 1.2.0"]);
    expect(Date.now() - begun).toBeLessThan(TIMEOUT_MS + 10_000);
    upstream.fault = (_, response) => Boolean(response.writeHead(200).end("<html>"));
    expect(await search(client, ["pad"])).toEqual(["pad 1.2.0"]);
    upstream.fault = undefined;
  });
});
