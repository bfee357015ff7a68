import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  access,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createBlobStore } from "./blob-store.ts";
import { openFilesystemStore } from "./filesystem.ts";
import { leftovers, sweepLeftovers } from "./leftovers.ts";
import { parseObjectKey } from "./object-store.ts";
import { bytes, keysIn, noise, sha256Of, textOf } from "./testing/index.ts";

const roots: string[] = [];
const newRoot = async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "store-")));
  roots.push(root);
  return root;
};
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true, force: true }))));
const invalidKey = expect.objectContaining({ name: "StorageError", code: "storage-invalid-key" });
const replace = { existing: "replace" } as const;

test("follows no links out of its folder", async () => {
  const [root, outside] = [await newRoot(), await newRoot()];
  await writeFile(join(outside, "secret"), "secret");
  await symlink(outside, join(root, "link"));
  await using store = await openFilesystemStore({ root });
  const [secret, deeper] = ["link/secret", "link/new/deeper"].map(parseObjectKey);
  const own = parseObjectKey("own");
  await store.write(own, bytes("own"), replace);
  if (!secret || !deeper) throw new Error("no keys");

  await expect(store.stat(secret)).rejects.toEqual(invalidKey);
  await expect(store.read(secret)).rejects.toEqual(invalidKey);
  await expect(textOf(store.bytes(secret))).rejects.toEqual(invalidKey);
  await expect(store.write(secret, bytes("x"), replace)).rejects.toEqual(invalidKey);
  await expect(store.write(deeper, bytes("x"), replace)).rejects.toEqual(invalidKey);
  const transient = { ...replace, transient: true };
  await expect(store.write(deeper, bytes("x"), transient)).rejects.toEqual(invalidKey);
  await expect(store.write(deeper, bytes("x"), { existing: "keep" })).rejects.toEqual(invalidKey);
  await expect(store.move(own, deeper)).rejects.toEqual(invalidKey);
  await expect(store.move(secret, own)).rejects.toEqual(invalidKey);
  await expect(store.delete(secret)).rejects.toEqual(invalidKey);
  await expect(keysIn(store, "link/")).rejects.toEqual(invalidKey);
  expect(await keysIn(store)).toEqual(["own"]);
  expect(await readdir(outside)).toEqual(["secret"]);
  expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret");
});

test("does not treat a link as an object", async () => {
  const [root, outside] = [await newRoot(), await newRoot()];
  const target = join(outside, "target");
  await writeFile(target, "theirs");
  await using store = await openFilesystemStore({ root });
  await symlink(target, join(root, "link"));
  const key = parseObjectKey("link");

  expect(await store.stat(key)).toBeUndefined();
  expect(await store.read(key)).toBeUndefined();
  await expect(textOf(store.bytes(key))).rejects.toThrow(/not there/);
  await expect(store.move(key, parseObjectKey("x"))).rejects.toThrow(/not there/);
  expect(await keysIn(store)).toEqual([]);
  await store.write(key, bytes("ours"), replace);
  expect(await readFile(target, "utf8")).toBe("theirs");
  expect(await keysIn(store)).toEqual(["link"]);
});

test("works with a link as its root folder", async () => {
  const [root, elsewhere] = [await newRoot(), await newRoot()];
  await symlink(elsewhere, join(root, "data"));
  await using store = await openFilesystemStore({ root: join(root, "data") });
  await store.write(parseObjectKey("a/b"), bytes("x"), replace);
  expect(await keysIn(store)).toEqual(["a/b"]);
});

test("refuses a root whose .incoming folder is a link", async () => {
  const [root, outside] = [await newRoot(), await newRoot()];
  await symlink(outside, join(root, ".incoming"));
  await expect(openFilesystemStore({ root })).rejects.toEqual(invalidKey);
});

test("reports why its root folder is unusable", async () => {
  const file = join(await newRoot(), "file");
  await writeFile(file, "");
  await expect(openFilesystemStore({ root: file })).rejects.toThrow(
    expect.objectContaining({ name: "StorageError", message: expect.stringContaining(file) }),
  );
});

test("reports a write without its folder as unavailable storage, not a lost object", async () => {
  const root = await newRoot();
  await using store = await openFilesystemStore({ root });
  await rm(root, { recursive: true });
  const [key] = ["a/b"].map(parseObjectKey);
  if (!key) throw new Error("no key");
  const written = store.write(key, bytes("x"), replace);
  await expect(written).rejects.toMatchObject({ code: "storage-unavailable" });
});

test("refuses a key below an object, and one that is a folder", async () => {
  await using store = await openFilesystemStore({ root: await newRoot() });
  await store.write(parseObjectKey("a/b"), bytes("x"), replace);
  const [below, above] = [parseObjectKey("a/b/c"), parseObjectKey("a")];
  await expect(store.write(below, bytes("x"), replace)).rejects.toEqual(invalidKey);
  await expect(store.write(above, bytes("x"), replace)).rejects.toEqual(invalidKey);
  expect(await store.stat(below)).toBeUndefined();
  await store.delete(below);
  expect(await keysIn(store)).toEqual(["a/b"]);
});

test("lists unfinished writes of killed processes, and deletes the old ones", async () => {
  const root = await newRoot();
  await using store = await openFilesystemStore({ root });
  const incoming = join(root, ".incoming");
  const now = new Date("2026-11-21T12:00:00Z");
  for (const [name, minutes] of Object.entries({ old: 61, young: 59 })) {
    await writeFile(join(incoming, name), "half");
    const time = new Date(now.getTime() - minutes * 60_000);
    await utimes(join(incoming, name), time, time);
  }
  const options = { prefixes: [], olderThan: new Date(now.getTime() - 3_600_000) };
  const foundLeftovers = await Array.fromAsync(leftovers(store, options));
  expect(foundLeftovers).toMatchObject([{ name: ".incoming/old", size: 4 }]);
  expect(await sweepLeftovers(store, options)).toEqual({ count: 1, bytes: 4 });
  expect(await readdir(incoming)).toEqual(["young"]);
  await store.unfinished?.delete(".incoming/../../young");
  expect(await readdir(incoming)).toEqual([]);
  expect(await keysIn(store)).toEqual([]);
});

test("a running write is never a leftover", async () => {
  const root = await newRoot();
  await using store = await openFilesystemStore({ root });
  const stop = new AbortController();
  async function* slowBody() {
    yield new Uint8Array(3_000_000);
    const [name = ""] = await readdir(join(root, ".incoming"));
    const past = new Date(Date.now() - 7_200_000);
    await utimes(join(root, ".incoming", name), past, past);
    yield new Uint8Array(3_000_000);
    const options = { prefixes: [], olderThan: new Date(Date.now() - 3_600_000) };
    expect(await sweepLeftovers(store, options)).toEqual({ count: 0, bytes: 0 });
  }
  const key = parseObjectKey("slow");
  await store.write(key, slowBody(), { ...replace, signal: stop.signal });
  expect(await store.stat(key)).toMatchObject({ size: 6_000_000 });
});

test("leaves no empty folders and no unfinished writes behind", async () => {
  const root = await newRoot();
  await using store = await openFilesystemStore({ root });
  const [from, to] = [parseObjectKey("up/one/part"), parseObjectKey("blobs/aa/x")];
  await store.write(from, bytes("x"), { ...replace, transient: true });
  await store.move(from, to);
  expect((await readdir(root)).toSorted()).toEqual([".incoming", "blobs"]);
  await store.delete(to);
  expect(await readdir(root, { recursive: true })).toEqual([".incoming"]);
});

test("does not list files whose names are not keys", async () => {
  const root = await newRoot();
  await using store = await openFilesystemStore({ root });
  await store.write(parseObjectKey("a/b"), bytes("x"), replace);
  await writeFile(join(root, "a", ".DS_Store"), "");
  await writeFile(join(root, "a", "notes of the operator.txt"), "");
  expect(await keysIn(store)).toEqual(["a/b"]);
});

test.runIf(process.platform === "linux")("holds a file open only while it is read", async () => {
  const root = await newRoot();
  await using store = await openFilesystemStore({ root });
  const [large, small] = [parseObjectKey("large"), parseObjectKey("small")];
  await store.write(large, noise(2_000_000), replace);
  await store.write(small, noise(2_000), replace);

  const unread = await store.read(large);
  expect(await openBelow(root)).toEqual([]);
  const lengths: number[] = [];
  for await (const chunk of unread?.body ?? []) {
    lengths.push(chunk.length);
    expect(await openBelow(root)).toEqual(["large"]);
    if (lengths.length === 2) break;
  }
  expect(lengths).toEqual([128 * 1024, 128 * 1024]);
  expect(await openBelow(root)).toEqual([]);
  for await (const chunk of (await store.read(small))?.body ?? []) {
    expect(chunk.length).toBe(2_000);
    expect(await openBelow(root)).toEqual([]);
  }
  await expect(store.write(large, failing(), replace)).rejects.toThrow("cut");
  expect(await openBelow(root)).toEqual([]);
});

test("writes and reads large objects in little memory", async () => {
  const store = await openFilesystemStore({ root: await newRoot() });
  const blobs = createBlobStore(store, { prefix: "oci" });
  const [size, chunk] = [256 * 1024 * 1024, Buffer.alloc(64 * 1024, 7)];
  const body = (async function* () {
    for (let offset = 0; offset < size; offset += chunk.length) yield chunk;
  })();
  await using warm = await blobs.stage(noise(8 * 1024 * 1024));
  expect(await sha256Of(warm.read())).toBe(warm.digests.sha256);

  const writing = growthDuring(body);
  await using staged = await blobs.stage(writing.body, { hashes: ["sha512"] });
  expect(writing.bytes()).toBeLessThan(24 * 1024 * 1024);
  // Chunks in use wait for the garbage collector: more memory, but bounded.
  const reading = growthDuring(staged.read());
  expect(await sha256Of(reading.body)).toBe(staged.digests.sha256);
  expect(reading.bytes()).toBeLessThan(96 * 1024 * 1024);
});

test("a killed process loses no acknowledged blob and leaves no partial one", async () => {
  const root = await newRoot();
  const acknowledged = await keepUntilKilled(root);
  expect(acknowledged.length).toBeGreaterThan(5);

  await using store = await openFilesystemStore({ root });
  const keys = await keysIn(store, "nuget/blobs/");
  expect(keys).toEqual(expect.arrayContaining(acknowledged));
  for (const key of keys) {
    const read = await sha256Of(createBlobStore(store, { prefix: "nuget" }).read(key));
    expect(basename(key).split(".")[0]).toBe(read);
  }
});

/** Twenty writers in a separate process, which is killed in the middle. */
async function keepUntilKilled(root: string): Promise<string[]> {
  const script = `
    import { openFilesystemStore } from ${JSON.stringify(import.meta.resolve("./filesystem.ts"))};
    import { createBlobStore } from ${JSON.stringify(import.meta.resolve("./blob-store.ts"))};
    import { noise } from ${JSON.stringify(import.meta.resolve("./testing/index.ts"))};
    const store = await openFilesystemStore({ root: ${JSON.stringify(root)} });
    const blobs = createBlobStore(store, { prefix: "nuget" });
    const write = async (writer) => {
      for (let round = 0; ; round += 1) {
        const staged = await blobs.stage(noise(300_000, writer * 1000 + round));
        console.log((await staged.keep()).key);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => acknowledged.push(line));
  await once(lines, "line");
  await sleep(400);
  child.kill("SIGKILL");
  await once(child, "close");
  return acknowledged;
}

/** The same body, and by how much the process was larger at worst while it was walked. */
function growthDuring(body: AsyncIterable<Uint8Array>) {
  let [idle, peak] = [0, 0];
  const watched = async function* () {
    idle = process.memoryUsage.rss();
    for await (const chunk of body) {
      peak = Math.max(peak, process.memoryUsage.rss());
      yield chunk;
    }
  };
  return { body: watched(), bytes: () => peak - idle };
}

async function openBelow(root: string): Promise<readonly string[]> {
  await access("/proc/self/fd");
  const descriptors = await readdir("/proc/self/fd");
  const paths = await Promise.all(
    descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => "")),
  );
  return paths.filter((path) => path.startsWith(root)).map((path) => basename(path));
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield* bytes("half");
  throw new Error(`cut after ${(await textOf(bytes("half"))).length}`);
}
