import { randomBytes } from "node:crypto";
import { openKeyRing } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { createSource } from "../../sources/create-source.ts";
import type { SourceParts } from "../../sources/create-source.ts";
import { openStoredSources } from "../../sources/stored-sources.ts";
import { createMemoryMirrorPorts } from "../../testing/memory-mirror-ports.ts";
import { memoryParts } from "../../testing/memory-parts.ts";
import { openMirror } from "../mirror.ts";
import { openRegistryMirror } from "../open-registry-mirror.ts";
import { mirrorSignaturesOf, openSourceList } from "./open-source-list.ts";
import { createPeers } from "./peers.ts";

const source = (name: string, parts: Partial<SourceParts> = {}) =>
  createSource({
    name,
    protocol: "npm",
    url: `https://${name.toLowerCase()}.example/`,
    from: "database",
    ...parts,
  });

const sources = [
  source("rest", { priority: 2 }),
  source("first", { priority: 1 }),
  source("off", { isEnabled: false, priority: 0 }),
  source("out", { type: "downstream" }),
  source("quiet", { strategy: "CacheOnly", isEnabled: false }),
  source("acme", { settings: { allow: ["@acme/*"] } }),
  source("feed", { protocol: "nuget", url: "https://feed.example/v3/index.json" }),
];

const open = (own: readonly string[] = []) => {
  const parts = memoryParts({ sources, own });
  return { parts, mirror: openMirror(parts) };
};

test.each([
  ["a name of this registry", "ours", { status: "own" }],
  ["a new name", "left-pad", { status: "sources", isClaimed: false }],
  ["a name of a pattern", "@acme/one", { status: "sources", isClaimed: false }],
])("locates %s", async (_, name, expected) => {
  const { mirror } = open(["npm/ours"]);
  expect(await mirror.locate({ protocol: "npm", name })).toMatchObject(expected);
});

test("a name without a source has the status closed", async () => {
  const { mirror } = open();
  expect(await mirror.locate({ protocol: "oci", name: "team/app" })).toEqual({ status: "closed" });
});

test("a claimed name goes to its source alone, and to the others without it", async () => {
  const { parts, mirror } = open();
  const located = async (name: string) => {
    const place = await mirror.locate({ protocol: "npm", name });
    return place.status === "sources" && [place.isClaimed, ...place.sources.map((one) => one.name)];
  };
  expect(await located("left-pad")).toEqual([false, "first", "rest"]);
  await parts.origins.claim("npm", "left-pad", "rest");
  await parts.origins.claim("npm", "lost", "removed-source");
  await parts.origins.claim("npm", "paused", "off");
  expect(await located("left-pad")).toEqual([true, "rest"]);
  expect(await located("lost")).toEqual([true, "first", "rest"]);
  expect(await located("paused")).toEqual([true, "first", "rest"]);
});

test("lists sources by what they are for", async () => {
  const { mirror } = open();
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  expect(names(await mirror.enabled("npm"))).toEqual(["first", "rest", "acme"]);
  expect(names(await mirror.upstreams("npm"))).toEqual(["first", "rest", "acme"]);
  expect(names(await mirror.configured("npm"))).toEqual(["rest", "first", "off", "quiet", "acme"]);
  expect(await mirror.unlisted("npm")).toEqual(["quiet"]);
  expect(names(await mirror.enabled("oci"))).toEqual([]);
});

test("finds the sources of claimed names, and of no others", async () => {
  const { parts, mirror } = open(["npm/ours"]);
  await parts.origins.claim("npm", "left-pad", "rest");
  await parts.origins.claim("npm", "lost", "removed-source");
  const found = await mirror.sourcesOf("npm", ["left-pad", "lost", "ours", "new"]);
  expect([...found].map(([name, { name: at }]) => `${name} ${at}`)).toEqual([
    "left-pad rest",
    "lost first",
  ]);
  expect((await mirror.sourcesOf("oci", ["a"])).size).toBe(0);
});

test("a source tells once who it is, and one that is silent is of another kind", async () => {
  const asked: string[] = [];
  const registry = `sealhouse-${"a".repeat(16)}`;
  const peers = createPeers({
    isOffline: false,
    fetchOf: (from) => async () => {
      asked.push(from.name);
      if (from.name === "rest") throw new TypeError("fetch failed");
      peers.note(from, from.name === "first" ? registry : undefined);
      return new Response();
    },
  });
  const [rest, first, , , , acme] = sources as [never, never, never, never, never, never];
  const all = [rest, first, acme];
  const found = async (chain: readonly string[]) =>
    [...(await peers.among(all, chain))].map(([{ name }, id]) => `${name} ${id}`);
  expect(await found([])).toEqual([]);
  expect(asked).toEqual([]);
  expect(await found([registry])).toEqual([`first ${registry}`]);
  expect(await found([registry])).toEqual([`first ${registry}`]);
  expect(await found(["sealhouse-other"])).toEqual([]);
  expect(asked.toSorted()).toEqual(["acme", "first", "rest"]);
});

test("an offline registry sends no question about names of registries", async () => {
  const peers = createPeers({
    isOffline: true,
    fetchOf: () => () => Promise.reject(new Error("asked")),
  });
  expect((await peers.among(sources, ["sealhouse-x"])).size).toBe(0);
});

async function openList(options: { readonly isEnabled?: boolean } = {}) {
  const { sources: rows, origins } = createMemoryMirrorPorts();
  const keyRing = await openKeyRing({ random: randomBytes });
  const logged: object[] = [];
  const configured = [source("configured", { from: "configuration" })];
  const clock = { ms: 0 };
  const parts = {
    mirror: { isEnabled: options.isEnabled ?? true, sources: configured },
    sources: rows,
    now: () => new Date(clock.ms),
    log: { error: (fields: object) => void logged.push(fields) },
  };
  const list = openSourceList({ ...parts, keyRing });
  return { list, parts, rows, keyRing, origins, logged, clock };
}

test("sources of the database replace those of the configuration, after two seconds", async () => {
  const { list, rows, keyRing, clock } = await openList();
  const names = async () => (await list.current()).map(({ name }) => name);
  expect(await names()).toEqual(["configured"]);
  const stored = openStoredSources(rows, keyRing);
  await stored.put(source("stored", { isEnabled: false }), { actor: "ada" });
  expect(await names()).toEqual(["configured"]);
  clock.ms = 2_000;
  expect(await names()).toEqual(["stored"]);
  await stored.remove("stored", { actor: "ada" });
  list.refresh();
  expect(await names()).toEqual(["configured"]);
});

test("there is no source while mirrors are off", async () => {
  const { list } = await openList({ isEnabled: false });
  expect(await list.current()).toEqual([]);
  list.refresh();
  expect(await list.current()).toEqual([]);
});

test("logs once that credentials cannot be decrypted", async () => {
  const { parts, rows, keyRing, logged, clock } = await openList();
  const credentials = { type: "bearer", token: "secret" } as const;
  await openStoredSources(rows, keyRing).put(source("stored", { credentials }), { actor: "ada" });
  const other = await openKeyRing({ random: randomBytes });
  const list = openSourceList({ ...parts, keyRing: other });
  for (let time = 0; time < 3; time += 1) {
    expect((await list.current())[0]).not.toHaveProperty("credentials");
    clock.ms += 2_000;
  }
  expect(logged).toMatchObject([{ source: "stored" }]);
});

test("the rules for signatures are those of the source of an id", async () => {
  const { origins } = createMemoryMirrorPorts({ own: ["nuget/ours"] });
  const feed = source("Feed", {
    protocol: "nuget",
    signaturePolicy: "TrustedCerts",
    settings: { trustedCertificates: ["ab"] },
  });
  await origins.claim("nuget", "acme.core", "Feed");
  await origins.claim("nuget", "lost", "removed-source");
  const of = (all: readonly (typeof feed)[]) =>
    mirrorSignaturesOf({ current: async () => all }, origins);
  expect(await of([feed])("Acme.Core")).toEqual({
    policy: "TrustedCerts",
    trustedCertificates: ["ab"],
  });
  for (const id of ["ours", "lost", "new"]) expect(await of([feed])(id)).toBeUndefined();
  expect(await of([source("npm")])("Acme.Core")).toBeUndefined();
});

test("a registry does not start with a source that would expose its packages", async () => {
  const exposed = source("exposed", { credentials: { type: "bearer", token: "secret" } });
  const warnings: object[] = [];
  const opening = (isAnonymousPull: boolean) =>
    openRegistryMirror({
      ...memoryParts({ sources: [] }),
      list: { current: async () => [exposed], refresh: () => undefined },
      surroundings: { isAnonymousPull, ownOrigins: [], surfaces: [] },
      log: { warn: (fields) => void warnings.push(fields) },
    });
  await expect(opening(true)).rejects.toThrow('The package source "exposed" needs credentials');
  const mirror = await opening(false);
  expect(mirror.knownSources()).toEqual([exposed]);
  mirror.refreshSources();
  await mirror[Symbol.asyncDispose]();
});
