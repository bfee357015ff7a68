import { publishBody } from "@sealhouse/npm-protocol/testing";
import {
  openScriptedFeed,
  openScriptedImages,
  openScriptedRegistry,
} from "@sealhouse/upstream-sources/testing";
import type {
  Packument,
  ScriptedFeed,
  ScriptedImages,
  ScriptedRegistry,
} from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { addSources } from "./add-source.ts";
import { imageOf } from "./mirror-host.ts";

const ABBREVIATED = "application/vnd.npm.install-v1+json";

const cleanUp = new AsyncDisposableStack();
/** Two registries that mirror each other. Each asks the other one first. */
let first: TestHost;
let second: TestHost;
/** A further source of each. */
let ofFirst: ScriptedRegistry;
let ofSecond: ScriptedRegistry;
let feed: ScriptedFeed;
let images: ScriptedImages;

beforeAll(async () => {
  ofFirst = cleanUp.use(await openScriptedRegistry());
  ofSecond = cleanUp.use(await openScriptedRegistry());
  feed = cleanUp.use(await openScriptedFeed());
  images = cleanUp.use(await openScriptedImages());
  const env = { Signing__Mode: "", Feed__Oci__Default__Enabled: "true" };
  first = cleanUp.use(await startHost({ env }));
  second = cleanUp.use(await startHost({ env }));
  const settings = { revalidateAfterMs: 200, negativeForMs: 100 };
  const others = (url: string) => [
    { name: "npm-other", protocol: "npm", url: `${url}/npm/`, priority: 0, settings } as const,
    { name: "nuget-other", protocol: "nuget", url: `${url}/v3/index.json`, settings } as const,
    { name: "oci-other", protocol: "oci", url, priority: 0, settings } as const,
  ];
  const npm = { name: "npm-more", protocol: "npm", settings } as const;
  await addSources(first, [...others(second.url), { ...npm, url: ofFirst.url }]);
  await addSources(second, [
    ...others(first.url),
    { ...npm, url: ofSecond.url },
    { name: "nuget-more", protocol: "nuget", url: feed.url.href, priority: 2, settings },
    { name: "oci-more", protocol: "oci", url: images.url, settings },
  ]);
});
afterAll(() => cleanUp.disposeAsync());

/** Returns the entry of a registry in `Via`, which its source gets with every call. */
async function viaOf(host: TestHost, source: ScriptedRegistry): Promise<string> {
  await host.fetch("/npm/learns-via");
  return String(source.headers.at(-1)?.via?.split(", ").at(-1));
}

type Read = { readonly status: number; readonly leftOut: string | null; readonly cached: string };

async function read(host: TestHost, path: string, headers: Record<string, string> = {}) {
  const response = await host.fetch(path, { headers });
  const text = await response.text();
  const got: Read = {
    status: response.status,
    leftOut: response.headers.get("x-sealhouse-left-out"),
    cached: response.headers.get("cache-control") ?? "",
  };
  return { ...got, text };
}

const versionsOf = async (host: TestHost, name: string, headers?: Record<string, string>) => {
  const { text } = await read(host, `/npm/${name}`, headers);
  return Object.keys((JSON.parse(text) as Partial<Packument>).versions ?? {});
};

/** The restricted answer, which no cache may store. */
const leftOut = (via: string) => ({
  status: 404,
  leftOut: via.replace("1.1 ", ""),
  cached: "no-store",
});

test("an unknown name is 404 at both, and a published one is at the other", async () => {
  const unknown = await Promise.all([first, second].map((host) => host.fetch("/npm/nowhere")));
  expect(unknown.map(({ status }) => status)).toEqual([404, 404]);
  const token = await second.makeToken({ scopes: "read,write" });
  const published = await second.fetch("/npm/there", {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: publishBody({ name: "there", version: "1.0.0" }),
  });
  expect(published.status).toBe(200);
  expect(await versionsOf(first, "there")).toEqual(["1.0.0"]);
  // A package that was published here has no other source.
  const via = await viaOf(second, ofSecond);
  expect(await read(second, "/npm/there", { via })).toMatchObject({ status: 200, leftOut: null });
});

test("npm: a request with the registry's own Via changes nothing for others", async () => {
  const via = await viaOf(second, ofSecond);
  ofSecond.publish("moves", "1.0.0", "2.0.0");
  expect(await versionsOf(second, "moves")).toHaveLength(2);
  expect((await second.fetch("/npm/moves/-/moves-1.0.0.tgz")).status).toBe(200);
  const accept = ABBREVIATED;
  expect(await read(second, "/npm/moves", { via, accept })).toMatchObject(leftOut(via));
  expect(await versionsOf(second, "moves", { accept })).toHaveLength(2);
  const tarball = "/npm/moves/-/moves-1.0.0.tgz";
  expect(await read(second, tarball, { via })).toMatchObject(leftOut(via));
});

test("NuGet: a request with the registry's own Via changes nothing for others", async () => {
  const via = await viaOf(second, ofSecond);
  feed.put("Acme.Moves", "1.0.0");
  feed.put("Acme.Moves", "2.0.0");
  const registration = await read(second, "/v3/registration-gz-semver2/acme.moves/index.json");
  expect(registration.status).toBe(200);
  const file = "/v3/package/acme.moves/1.0.0/acme.moves.1.0.0.nupkg";
  expect((await second.fetch(file)).status).toBe(200);
  const list = "/v3/package/acme.moves/index.json";
  expect(await read(second, list, { via })).toMatchObject(leftOut(via));
  expect(JSON.parse((await read(second, list)).text)).toEqual({ versions: ["1.0.0", "2.0.0"] });
});

test("images: a request with the registry's own Via changes nothing for others", async () => {
  const via = await viaOf(second, ofSecond);
  images.put("team/moves", imageOf("moves"), "1.0");
  expect((await second.fetch("/v2/team/moves/manifests/1.0")).status).toBe(200);
  images.put("team/moves", imageOf("moves-on"), "2.0");
  expect(await read(second, "/v2/team/moves/manifests/2.0", { via })).toMatchObject(leftOut(via));
  expect((await second.fetch("/v2/team/moves/manifests/2.0")).status).toBe(200);
});

test("a forged Via does not give a name to a source that comes later", async () => {
  const via = await viaOf(first, ofFirst);
  ofFirst.publish("corporate", "1.0.0");
  ofSecond.publish("corporate", "6.6.6");
  images.put("team/corporate", imageOf("planted"), "1.0");
  // The first registry leaves out its sources, so that the next source of the second one is asked.
  expect(await versionsOf(second, "corporate", { via })).toEqual(["6.6.6"]);
  await second.fetch("/npm/corporate/-/corporate-6.6.6.tgz", { headers: { via } });
  expect(await versionsOf(second, "corporate")).toEqual(["1.0.0"]);
  expect((await read(second, "/v2/team/corporate/manifests/1.0", { via })).status).toBe(401);
});

test("both registries show a new version of a package that comes through both", async () => {
  ofSecond.publish("through", "1.0.0");
  expect(await versionsOf(first, "through")).toEqual(["1.0.0"]);
  expect((await first.fetch("/npm/through/-/through-1.0.0.tgz")).status).toBe(200);
  expect(await versionsOf(second, "through")).toEqual(["1.0.0"]);
  ofSecond.publish("through", "2.0.0");
  for (const host of [first, second]) {
    await expect
      .poll(() => versionsOf(host, "through"), { timeout: 10_000 })
      .toEqual(["1.0.0", "2.0.0"]);
  }
});

test("requests at both registries at the same time do not wait for each other", async () => {
  ofSecond.publish("at-once", "1.0.0");
  feed.put("Acme.AtOnce", "1.0.0");
  const paths = ["/npm/at-once", "/v3/package/acme.atonce/index.json"];
  const answers = await Promise.all(
    paths.flatMap((path) => [first, second].map((host) => host.fetch(path))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
