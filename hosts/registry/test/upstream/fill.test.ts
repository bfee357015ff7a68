import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { runCommandLine } from "../../src/commands/run.ts";
import { imageOf } from "./mirror-host.ts";

const cleanUp = new AsyncDisposableStack();
let root: string;
let npm: ScriptedRegistry;
let nuget: ScriptedFeed;
let images: ScriptedImages;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sealhouse-fill-"));
  cleanUp.defer(() => rm(root, { recursive: true }));
  npm = cleanUp.use(await openScriptedRegistry());
  nuget = cleanUp.use(await openScriptedFeed(["content", "registration"]));
  images = cleanUp.use(await openScriptedImages());
  npm.publish("top", "1.0.0", "2.0.0");
  npm.publish("@acme/bottom", "1.0.0");
  npm.publish("only-windows", "1.0.0");
  nuget.put("Acme.Leaf", "1.0.0");
  const image = imageOf("app");
  images.put("team/app", image, "1.0");
  images.put("team/app", imageOf("signature"), attachedTagOf(image, "sig"));
});
afterAll(() => cleanUp.disposeAsync());

const attachedTagOf = ({ digest }: { readonly digest: string }, suffix: string) =>
  `${digest.replace(":", "-")}.${suffix}`;

const requests = () => [...npm.requests, ...nuget.requests, ...images.requests];

/** A registry that only its command line uses. */
async function openRegistry(env: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(root, "registry-"));
  const settings = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: join(folder, "data"),
    Signing__Mode: "",
  };
  return {
    folder,
    async run(
      words: readonly string[],
      more: Readonly<Record<string, string>> = env,
      stop: AbortSignal = new AbortController().signal,
    ) {
      const lines = { stdout: [] as string[], stderr: [] as string[] };
      const code = await runCommandLine(words, {
        env: { ...settings, ...more },
        workingFolder: folder,
        extensions: [],
        stop,
        stdout: (text) => lines.stdout.push(text),
        stderr: (text) => lines.stderr.push(text),
      });
      return { code, stdout: lines.stdout.join("\n"), stderr: lines.stderr.join("\n") };
    },
  };
}

/** A registry with the three sources. */
async function openMirror() {
  const registry = await openRegistry();
  const sources = { npm: npm.url, nuget: nuget.url.href, oci: images.url };
  for (const [protocol, url] of Object.entries(sources)) {
    const words = ["source", "add", `s-${protocol}`, "--protocol", protocol, "--url", url];
    const added = await registry.run([...words, "--allow-private-network"]);
    expect(added.code, added.stderr).toBe(0);
  }
  return registry;
}

async function integrityOf(name: string, version: string): Promise<unknown> {
  const answer = await fetch(`${npm.url}${name.replace("/", "%2f")}`);
  return ((await answer.json()) as Packument).versions[version]?.dist["integrity"];
}

async function writeLock(folder: string, packages: Readonly<Record<string, object>>) {
  const entries = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
  const path = join(folder, "package-lock.json");
  const lock = { lockfileVersion: 3, packages: Object.fromEntries(entries) };
  await writeFile(path, JSON.stringify(lock));
  return path;
}

test("fills an empty registry once, and writes a bundle that fills another one", async () => {
  const mirror = await openMirror();
  const lock = await writeLock(mirror.folder, {
    top: { version: "1.0.0", integrity: await integrityOf("top", "1.0.0") },
    "@acme/bottom": { version: "1.0.0", integrity: await integrityOf("@acme/bottom", "1.0.0") },
    "only-windows": { version: "1.0.0", os: ["win32"], optional: true },
  });
  const packages = join(mirror.folder, "packages.lock.json");
  const resolved = { "Acme.Leaf": { type: "Direct", resolved: "1.0.0" } };
  await writeFile(packages, JSON.stringify({ version: 1, dependencies: { "net10.0": resolved } }));
  const list = join(mirror.folder, "images.txt");
  await writeFile(list, `team/app:1.0\n${new URL(images.url).host}/team/app:1.0\n`);
  const words = ["mirror", "--from", lock, packages, list, "--os", "linux"];
  expect(await mirror.run(words)).toEqual({
    code: 0,
    stdout: "5 fetched, 0 present, 0 missing",
    stderr: "skipped 1 packages for other platforms",
  });
  const tarballs = npm.requests.filter((request) => request.endsWith(".tgz"));
  expect(tarballs).toHaveLength(2);

  const before = requests().length;
  const out = join(mirror.folder, "out.tar");
  const again = await mirror.run([...words, "--bundle", out]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("0 fetched, 5 present") });
  // Only the tags of images are compared again.
  expect(
    requests()
      .slice(before)
      .filter((request) => !request.includes("/v2/")),
  ).toEqual([]);

  const target = await openRegistry();
  const imported = await target.run(["bundle", "import", out, "--unsigned"]);
  // The image is in two repositories, each with its signature.
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining("7 imported") });
});

test("can be interrupted and repeated", async () => {
  const mirror = await openMirror();
  const lock = await writeLock(mirror.folder, {
    top: { version: "1.0.0" },
    "@acme/bottom": { version: "1.0.0" },
  });
  const stop = new AbortController();
  // The tarball never ends.
  npm.fault = ({ url = "" }, response) => {
    if (!url.endsWith("bottom-1.0.0.tgz")) return false;
    response.writeHead(200, { "content-length": 1_000 }).write("a");
    setTimeout(() => stop.abort(), 1_000);
    return true;
  };
  const words = ["mirror", "--from", lock];
  const started = performance.now();
  const interrupted = await mirror.run(words, {}, stop.signal);
  npm.fault = undefined;
  expect(interrupted).toMatchObject({ code: 130, stdout: "1 fetched, 0 present, 0 missing" });
  expect(interrupted.stderr).toContain("Interrupted. Run the same command again");
  expect(performance.now() - started).toBeLessThan(8_000);
  expect(await mirror.run(words)).toMatchObject({
    code: 0,
    stdout: "1 fetched, 1 present, 0 missing",
  });
});

test("bundle export fetches what is missing, except offline", async () => {
  const mirror = await openMirror();
  const lock = await writeLock(mirror.folder, { top: { version: "1.0.0" } });
  const out = join(mirror.folder, "out.tar");
  const words = ["bundle", "export", "--from", lock, "--out", out];
  const offline = { Mirror__Offline: "true" };
  const refused = await mirror.run(words, offline);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("missing top 1.0.0: This registry does not have it.");
  const empty = await mirror.run(["mirror", "--from", lock], offline);
  expect(empty.stderr).toContain("Mirror__Offline");
  expect(await mirror.run(words)).toMatchObject({ code: 0 });
  expect((await readFile(out)).length).toBeGreaterThan(1_000);
  expect(await mirror.run(words, offline)).toMatchObject({ code: 0 });
});
