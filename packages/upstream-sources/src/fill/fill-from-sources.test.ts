import { buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { npmSource, openMirrorRegistry } from "../mirror/npm/mirror-registry.test.support.ts";
import { openMirrorFeed } from "../mirror/nuget/mirror-feed.test.support.ts";
import { imageOf, imageSource, openImageMirror } from "../mirror/oci/image-mirror.test.support.ts";
import { testSource } from "../testing/memory-parts.ts";
import { openScriptedFeed } from "../testing/scripted-feed.ts";
import type { ScriptedFeed } from "../testing/scripted-feed.ts";
import { openScriptedImages } from "../testing/scripted-images.ts";
import type { ScriptedImages } from "../testing/scripted-images.ts";
import { openScriptedRegistry } from "../testing/scripted-npm.ts";
import type { Packument, ScriptedRegistry } from "../testing/scripted-npm.ts";
import { readWanted } from "../wanted/read-wanted.ts";
import { fillWanted } from "./fill-wanted.ts";
import type { FillOptions, FillPorts } from "./fill-wanted.ts";

let npm: ScriptedRegistry;
let nuget: ScriptedFeed;
let images: ScriptedImages;
beforeEach(async () => {
  npm = await openScriptedRegistry();
  nuget = await openScriptedFeed();
  images = await openScriptedImages();
  npm.publish("top", "1.0.0", "2.0.0");
  npm.publish("@acme/bottom", "1.0.0");
  nuget.put("Acme.Leaf", "1.0.0");
});
afterEach(async () => {
  await npm[Symbol.asyncDispose]();
  await nuget[Symbol.asyncDispose]();
  await images[Symbol.asyncDispose]();
});

const requests = () => [...npm.requests, ...nuget.requests, ...images.requests];

type Strategy = "IndexAndCache" | "ProxyOnly";

/** A registry with a source of each protocol. */
function openTarget({
  strategy = "IndexAndCache",
  allowedOs = [],
}: { readonly strategy?: Strategy; readonly allowedOs?: readonly string[] } = {}) {
  const packages = openMirrorRegistry([npmSource(npm, { strategy })]);
  const feed = openMirrorFeed([testSource("nuget", nuget.url, { strategy })]);
  const registry = openImageMirror([imageSource(images)]);
  const { ports: nugetPorts } = feed.memory;
  const ports: FillPorts = {
    npm: { stored: packages.memory.lookup, mirrored: packages.mirrored },
    nuget: {
      stored: nugetPorts.lookup,
      provenance: { find: async () => undefined },
      upstream: feed.mirrored.upstream,
    },
    oci: {
      stored: registry.catalog,
      mirrored: registry.mirrored,
      files: registry.files,
      allowedOs: () => allowedOs,
    },
  };
  const fillFrom = async (
    files: Readonly<Record<string, string>>,
    options: Partial<FillOptions> = {},
  ) => {
    const lists = Object.entries(files).map(([name, text]) => readWanted(name, Buffer.from(text)));
    return fillWanted(ports, await Promise.all(lists), {
      platforms: {},
      imagePlatforms: {},
      concurrency: 4,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      ...options,
    });
  };
  return {
    fillFrom,
    registry,
    async [Symbol.asyncDispose]() {
      await packages[Symbol.asyncDispose]();
      await feed[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

const lockOf = (packages: Readonly<Record<string, object>>) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]),
    ),
  });

async function integrityOf(name: string): Promise<unknown> {
  const answer = await fetch(`${npm.url}${name.replace("/", "%2f")}`);
  return ((await answer.json()) as Packument).versions["1.0.0"]?.dist["integrity"];
}

test("fetches what lock files and lists name, once", async () => {
  const image = imageOf("app");
  images.put("team/app", image, "1.0");
  const lock = lockOf({
    top: { version: "1.0.0", integrity: await integrityOf("top") },
    "@acme/bottom": { version: "1.0.0", integrity: await integrityOf("@acme/bottom") },
    "only-windows": { version: "1.0.0", os: ["win32"], optional: true },
  });
  const leaf = { "Acme.Leaf": { type: "Direct", resolved: "1.0.0" } };
  const files = {
    "package-lock.json": lock,
    "packages.lock.json": JSON.stringify({ version: 1, dependencies: { "net10.0": leaf } }),
    "images.txt": "team/app:1.0\n",
  };
  await using target = openTarget();
  const platforms = { os: ["linux"] };
  expect(await target.fillFrom(files, { platforms })).toMatchObject({
    fetched: 4,
    present: 0,
    filtered: 1,
    missing: [],
    isComplete: true,
  });
  expect(npm.requests.filter((line) => line.endsWith(".tgz"))).toHaveLength(2);
  const before = requests().length;
  expect(await target.fillFrom(files, { platforms })).toMatchObject({ fetched: 0, present: 4 });
  expect(requests().slice(before)).toEqual([]);
});

test("continues after what is missing, with the reason", async () => {
  const lock = lockOf({
    top: { version: "9.9.9" },
    nowhere: { version: "1.0.0" },
    "@acme/bottom": { version: "1.0.0", integrity: await integrityOf("top") },
    "top/node_modules/top": { version: "2.0.0" },
  });
  await using target = openTarget();
  const report = await target.fillFrom({
    "package-lock.json": lock,
    "images.txt": "team/app:9.9\nother.example/team/app:1.0\n",
  });
  expect(report).toMatchObject({ fetched: 1, present: 0, isComplete: false });
  const reasons = report.missing.map(
    ({ name, reason }) => `${name}: ${reason.replace(/ Listed in .*/, "")}`,
  );
  expect(reasons.toSorted()).toEqual([
    "@acme/bottom 1.0.0: It has another integrity than in the lock file.",
    "nowhere 1.0.0: No source has this package.",
    "other.example/team/app:1.0: No source is for other.example.",
    "team/app:9.9: No source has this image.",
    "top 9.9.9: No source has this version.",
  ]);
});

test("reports the failure of each source", async () => {
  for (const scripted of [npm, images]) await scripted.stop();
  await nuget.close();
  await using target = openTarget();
  const leaf = { "Acme.Leaf": { type: "Direct", resolved: "1.0.0" } };
  const report = await target.fillFrom({
    "package-lock.json": lockOf({ top: { version: "1.0.0" } }),
    "packages.lock.json": JSON.stringify({ version: 1, dependencies: { "net10.0": leaf } }),
    "images.txt": "team/app:1.0\n",
  });
  expect(report).toMatchObject({ fetched: 0, isComplete: false });
  expect(report.missing).toHaveLength(3);
  for (const { reason } of report.missing) expect(reason).toMatch(/^The package source ".*cannot/);
});

test("names packages that a source with ProxyOnly did not leave here", async () => {
  await using target = openTarget({ strategy: "ProxyOnly" });
  const report = await target.fillFrom({
    "package-lock.json": lockOf({ top: { version: "1.0.0" } }),
  });
  expect(report).toMatchObject({ fetched: 0, missing: [{ name: "top 1.0.0" }] });
  expect(report.missing[0]?.reason).toContain("It was not stored: its source has the strategy");
});

test("two at once transfer each file once", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `twice-${index}`);
  for (const name of names) npm.publish(name, "1.0.0");
  const lock = lockOf(Object.fromEntries(names.map((name) => [name, { version: "1.0.0" }])));
  await using target = openTarget();
  const both = [1, 2].map(() => target.fillFrom({ "package-lock.json": lock }));
  expect((await Promise.all(both)).map(({ isComplete }) => isComplete)).toEqual([true, true]);
  expect(npm.requests.filter((line) => line.endsWith(".tgz"))).toHaveLength(8);
});

test.each([
  ["the wanted platforms", {}, { os: ["win32"], cpu: ["x64"] }, "windows"],
  ["the platforms that are mirrored", { allowedOs: ["linux"] }, {}, "linux"],
])("fetches only %s of an image", async (_, options, imagePlatforms, expected) => {
  const children = { linux: imageOf("linux"), windows: imageOf("windows") };
  const index = buildIndex(
    Object.entries(children).map(([os, image]) => ({
      ...image,
      descriptor: { ...image.descriptor, platform: { os, architecture: "amd64" } },
    })),
  );
  for (const image of Object.values(children)) images.put("team/multi", image);
  images.put("team/multi", index, "1.0");
  await using target = openTarget(options);
  const report = await target.fillFrom({ "images.txt": "team/multi:1.0\n" }, { imagePlatforms });
  expect(report).toMatchObject({ fetched: 1, missing: [] });
  const isAsked = ({ digest }: TestManifest) =>
    images.requests.some((line) => line.includes(`/manifests/${digest}`));
  const asked = Object.entries(children).flatMap(([os, image]) => (isAsked(image) ? [os] : []));
  expect(asked).toEqual([expected]);
});

test("fetches what refers to an image, such as its signature", async () => {
  const image = imageOf("app");
  const signature = imageOf("signature");
  images.put("team/app", image, "1.0");
  images.put("team/app", signature, `${image.digest.replace(":", "-")}.sig`);
  await using target = openTarget();
  expect(await target.fillFrom({ "images.txt": "team/app:1.0\n" })).toMatchObject({ fetched: 1 });
  const stored = [...target.registry.catalog.state.repositories.values()].flatMap(
    ({ manifests }) => [...manifests.keys()],
  );
  expect(stored.toSorted()).toEqual([image.digest, signature.digest].toSorted());
});
