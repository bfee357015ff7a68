import { setTimeout as delay } from "node:timers/promises";
import { NO_UPSTREAM as NO_NPM } from "@sealhouse/npm-protocol";
import type { NpmUpstream } from "@sealhouse/npm-protocol";
import { NO_UPSTREAM as NO_NUGET } from "@sealhouse/nuget-protocol";
import { expect, test } from "vitest";
import { createRegistry } from "../bundle/memory-registry.test.support.ts";
import { UpstreamUnavailableError } from "../mirror/calls/upstream-error.ts";
import type { Wanted } from "../wanted/wanted.ts";
import type { FillOptions, FillPorts } from "./fill-wanted.ts";
import { fillWanted } from "./fill-wanted.ts";

const from = "package-lock.json";
const KEPT = { status: "kept" } as const;

/** A registry whose source answers with `tarball`; each name exists there. */
function portsWith(tarball: NpmUpstream["tarball"], registry = createRegistry()): FillPorts {
  const { nuget, npm, oci } = registry.ports;
  const find = async (name: string) => ({
    name,
    revision: 1,
    createdAt: new Date(0),
    modifiedAt: new Date(0),
    distTags: {},
    versions: [],
  });
  return {
    nuget: { stored: nuget.lookup, provenance: nuget.provenance, upstream: NO_NUGET },
    npm: { stored: npm.lookup, mirrored: { lookup: { find }, upstream: { ...NO_NPM, tarball } } },
    oci: { stored: oci, mirrored: oci, files: oci.files, allowedOs: () => [] },
  };
}

function filled(ports: FillPorts, names: readonly string[], options: Partial<FillOptions> = {}) {
  const wanted = names.map((name): Wanted => ({ protocol: "npm", name, version: "1.0.0", from }));
  return fillWanted(ports, [{ wanted, unbundled: [] }], {
    platforms: {},
    imagePlatforms: {},
    concurrency: 8,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...options,
  });
}

test("has a limited number in progress, and counts existing versions", async () => {
  const registry = createRegistry();
  await registry.addNpm("here", "1.0.0");
  let running = 0;
  let most = 0;
  const ports = portsWith(async (name, version) => {
    most = Math.max(most, (running += 1));
    await delay(2);
    await registry.addNpm(name, version);
    running -= 1;
    return KEPT;
  }, registry);
  const names = Array.from({ length: 30 }, (_, index) => `package-${index}`);
  const report = await filled(ports, ["here", ...names]);
  expect(report).toMatchObject({ fetched: 30, present: 1, isComplete: true });
  expect(most).toBe(8);
});

test("continues after a source that fails, and names missing versions", async () => {
  const ports = portsWith(async (name) => {
    if (name === "away") throw new UpstreamUnavailableError("npmjs", "cannot be reached", 10);
    return name === "absent" ? undefined : KEPT;
  });
  const { missing, isComplete } = await filled(ports, ["away", "absent", "unkept"]);
  expect(isComplete).toBe(false);
  expect(missing.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "absent 1.0.0", reason: `No source has this version. Listed in ${from}.` },
    {
      name: "away 1.0.0",
      reason: expect.stringMatching(/^The package source "npmjs" cannot be reached\./),
    },
    { name: "unkept 1.0.0", reason: expect.stringContaining("ProxyOnly") },
  ]);
});

test("a failure of the registry itself ends it", async () => {
  const ports = portsWith(() => Promise.reject(new Error("the disk is full")));
  await expect(filled(ports, ["a", "b"])).rejects.toThrow("the disk is full");
});

test("an interruption ends it at once, with the report so far", async () => {
  const registry = createRegistry();
  const stop = new AbortController();
  const ports = portsWith(async (name, version) => {
    if (name === "endless") return new Promise(() => undefined);
    await registry.addNpm(name, version);
    return KEPT;
  }, registry);
  const onProgress = () => stop.abort();
  const report = await filled(ports, ["first", "endless"], { signal: stop.signal, onProgress });
  expect(report).toMatchObject({ fetched: 1, isInterrupted: true, isComplete: false, missing: [] });
});
