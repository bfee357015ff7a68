import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { openFolder, run } from "./client.ts";
import type { ClientHome } from "./client-home.ts";
import { openClientHome } from "./client-home.ts";
import { findTool } from "./oci-tools.ts";
import type { WatchingProxy } from "./watching-proxy.ts";
import { openWatchingProxy } from "./watching-proxy.ts";

/** Layers in the format zstd:chunked, of which podman pulls only the files that it lacks. */
const FILES = 50;
const FILE_BYTES = 100_000;
const CHANGED = [3, 4, 20, 49];
/** The table of contents, the manifest, heads of answers and of parts: about 8 kB. */
const OVERHEAD_BYTES = 20_000;
const TIMEOUT_MS = 120_000;

const podman = await findTool("podman");
const canMount = podman !== undefined && process.getuid?.() === 0 && (await hasOverlay());

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
let proxy: WatchingProxy;
let publisher: ClientHome;
let consumer: ClientHome;
let image: string;

beforeAll(async () => {
  if (!canMount) return;
  host = cleanUp.use(await spawnHost());
  proxy = cleanUp.use(await openWatchingProxy(host.url));
  const registry = new URL(proxy.url).host;
  const password = await host.makeToken({ scopes: "read,write" });
  [publisher, consumer] = await Promise.all([
    openStore(registry, password),
    openStore(registry, password),
  ]);
  image = `${registry}/team/chunked`;
}, TIMEOUT_MS);
afterAll(() => cleanUp.disposeAsync());

describe.skipIf(!canMount)("podman", () => {
  test(
    "transfers the changed files of a zstd:chunked layer and no others",
    async () => {
      const context = join(publisher.path, "context");
      await mkdir(join(context, "files"), { recursive: true });
      await writeFile(join(context, "Dockerfile"), "FROM scratch\nCOPY files /files\n");
      const write = (index: number) =>
        writeFile(join(context, "files", `${index}`), randomBytes(FILE_BYTES));
      for (let index = 0; index < FILES; index += 1) await write(index);
      await buildAndPush("1");
      for (const index of CHANGED) await write(index);
      await buildAndPush("2");

      expect(await bytesToPull("1")).toBeGreaterThan(FILES * FILE_BYTES);
      const changedBytes = CHANGED.length * FILE_BYTES;
      const transferred = await bytesToPull("2");
      expect(transferred).toBeGreaterThan(changedBytes);
      expect(transferred).toBeLessThan(changedBytes + OVERHEAD_BYTES);

      const { stdout } = await consumer.run(podman, "image", "mount", `${image}:2`);
      for (let index = 0; index < FILES; index += 1) {
        const pulled = await readFile(join(stdout.trim(), "files", `${index}`));
        expect(pulled.equals(await readFile(join(context, "files", `${index}`)))).toBe(true);
      }
      await consumer.run(podman, "image", "umount", "--all");
    },
    TIMEOUT_MS,
  );
});

async function buildAndPush(tag: string): Promise<void> {
  await publisher.run(podman, "build", "--no-cache", "-t", `${image}:${tag}`, "context");
  const format = ["--format", "oci", "--compression-format", "zstd:chunked"];
  await publisher.run(podman, "push", "--tls-verify=false", ...format, `${image}:${tag}`);
}

async function bytesToPull(tag: string): Promise<number> {
  proxy.take();
  await consumer.run(podman, "pull", "--tls-verify=false", `${image}:${tag}`);
  return proxy.take().reduce((sum, { received }) => sum + received, 0);
}

/** Only its overlay driver pulls parts of layers. */
async function openStore(registry: string, password: string): Promise<ClientHome> {
  const { path } = cleanUp.use(await openFolder());
  const configuration = join(path, "storage.conf");
  const lines = [
    "[storage]",
    'driver = "overlay"',
    `graphroot = "${path}/root"`,
    `runroot = "${path}/run"`,
    "[storage.options]",
    'pull_options = { enable_partial_images = "true", use_hard_links = "false" }',
  ];
  await writeFile(configuration, lines.join("\n"));
  cleanUp.defer(async () => void (await run("umount", [join(path, "root", "overlay")])));
  const env = { CONTAINERS_STORAGE_CONF: configuration };
  return cleanUp.use(await openClientHome(registry, password, env));
}

/** Containers of the test machine's own may forbid it. */
async function hasOverlay(): Promise<boolean> {
  await using folder = await openFolder();
  const pathOf = (name: string) => join(folder.path, name);
  for (const name of ["lower", "upper", "work", "merged"]) await mkdir(pathOf(name));
  const layers = `lowerdir=${pathOf("lower")},upperdir=${pathOf("upper")},workdir=${pathOf("work")}`;
  const { code } = await run("mount", ["-t", "overlay", "none", "-o", layers, pathOf("merged")]);
  if (code === 0) await run("umount", [pathOf("merged")]);
  else process.stderr.write("\nSKIPPED: no overlay file system, podman pulls no parts here\n\n");
  return code === 0;
}
