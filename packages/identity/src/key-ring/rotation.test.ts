import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  cp,
  link,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rename,
  stat,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { KeyRingOptions } from "./key-ring.ts";
import { openKeyRing } from "./key-ring.ts";

const DAY_MS = 24 * 60 * 60_000;
const secret = Buffer.from("upstream password");
const failure = (code: string) => expect.objectContaining({ name: "KeyRingError", code }) as Error;

async function newFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "key-rotation-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  return join(parent, "keys");
}

/** A key ring with a clock that tests move. */
async function openParts(options: Partial<KeyRingOptions> = {}) {
  const path = await newFolder();
  const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
  const now = () => new Date(clock.ms);
  const open = () => openKeyRing({ path, random: randomBytes, now, ...options });
  return { path, clock, open, ring: await open() };
}

/** File systems such as Azure Files have no hard links. */
const withoutLinks: KeyRingOptions["link"] = () =>
  Promise.reject(Object.assign(new Error("no hard links"), { code: "ENOTSUP" }));

test("adds a key after 90 days, and keeps the older ones for decryption", async () => {
  const { path, clock, open, ring } = await openParts();
  const before = ring.protect("p", secret);
  const derived = ring.derive("session");
  clock.ms += 90 * DAY_MS - 1;
  expect(await ring.rotate("due")).toBeUndefined();
  clock.ms += 1;
  expect(await ring.rotate("due")).toMatchObject({ number: 2, isNewest: true, isWrapped: false });
  expect(await ring.rotate("due")).toBeUndefined();
  expect((await readdir(path)).toSorted()).toEqual(["00000001.key", "00000002.key"]);
  const after = ring.protect("p", secret);
  expect(after.subarray(1, 9)).not.toEqual(before.subarray(1, 9));
  for (const opened of [ring, await open()]) {
    expect(Buffer.from(await opened.unprotect("p", before))).toEqual(secret);
    expect(Buffer.from(await opened.unprotect("p", after))).toEqual(secret);
    expect(opened.derive("session")).toEqual(derived);
  }
  expect((await stat(join(path, "00000002.key"))).mode & 0o777).toBe(0o600);
});

test("the age of a key is in its file, whatever the time of the file", async () => {
  const { path, clock, open, ring } = await openParts();
  const restored = new Date(clock.ms + 80 * DAY_MS);
  await utimes(join(path, "00000001.key"), restored, restored);
  clock.ms += 91 * DAY_MS;
  expect((await open()).keys()[0]?.createdAt).toEqual(new Date("2026-01-01T00:00:00Z"));
  expect(await ring.rotate("due")).toBeDefined();
});

test("reads key files of the first format, whose age is that of the file", async () => {
  const { path, clock, open } = await openParts();
  const file = join(path, "00000001.key");
  const { key } = JSON.parse(await readFile(file, "utf8")) as { key: string };
  await writeFile(file, `${key}\n`);
  const written = new Date(clock.ms - 100 * DAY_MS);
  await utimes(file, written, written);
  const ring = await open();
  expect(ring.keys()).toMatchObject([{ number: 1, createdAt: written, isWrapped: false }]);
  expect(await ring.rotate("due")).toMatchObject({ number: 2 });
});

test.each([
  ["hard links", undefined],
  ["folders, without hard links", withoutLinks],
])("instances that rotate at once add one key: %s", async (_, linkFile) => {
  const { path, clock, open } = await openParts(linkFile && { link: linkFile });
  const rings = await Promise.all(Array.from({ length: 12 }, open));
  clock.ms += 100 * DAY_MS;
  const added = await Promise.all(rings.map((ring) => ring.rotate("due")));
  expect(added.filter((key) => key !== undefined)).toHaveLength(1);
  expect((await readdir(path)).toSorted()).toEqual(["00000001.key", "00000002.key"]);
  const ids = rings.map((ring) => ring.keys().at(-1)?.id);
  expect(new Set(ids).size).toBe(1);
});

test("a key of another instance decrypts without a restart", async () => {
  const { open, ring } = await openParts();
  const other = await open();
  await other.rotate("now");
  const box = other.protect("p", secret);
  const values = await Promise.all([ring.unprotect("p", box), ring.unprotect("p", box)]);
  for (const value of values) expect(Buffer.from(value)).toEqual(secret);
  // The newest key encrypts from then on.
  expect(ring.protect("p", secret).subarray(1, 9)).toEqual(box.subarray(1, 9));
});

test("a slow read of the folder does not forget a key of a later one", async () => {
  const { path, ring } = await openParts();
  const write = (number: number, text: string) =>
    writeFile(join(path, `0000000${number}.key`), text, { mode: 0o600 });
  const newKey = () => randomBytes(32).toString("base64url");
  // A read waits for an empty file, which an earlier release is about to fill.
  await write(2, "");
  const slow = ring.rotate("due");
  await sleep(40);
  await write(3, newKey());
  const fast = ring.rotate("due");
  await sleep(55);
  await write(2, newKey());
  expect(await Promise.all([slow, fast])).toEqual([undefined, undefined]);
  expect(ring.keys().map(({ number }) => number)).toEqual([1, 2, 3]);
});

test("many values with an unknown key share one read of the folder", async () => {
  const { path, ring } = await openParts();
  const stranger = await openKeyRing({ path: await newFolder(), random: randomBytes });
  const box = stranger.protect("p", secret);
  const failures = Array.from({ length: 50 }, () =>
    expect(ring.unprotect("p", box)).rejects.toThrow(failure("unknown-key")),
  );
  await Promise.all(failures);
  expect(await readdir(path)).toHaveLength(1);
  await expect(ring.unprotect("p", box)).rejects.toThrow(/Restore that key file/);
});

test("a key file that is gone or exchanged while the host runs is an error", async () => {
  const { path, clock, ring } = await openParts();
  const box = ring.protect("p", secret);
  const file = join(path, "00000001.key");
  await rename(file, join(path, "aside"));
  clock.ms += 100 * DAY_MS;
  await expect(ring.rotate("due")).rejects.toThrow(failure("bad-key-file"));
  expect(await readdir(path)).toEqual(["aside"]);
  await cp(join(path, "aside"), file);
  expect(await ring.rotate("due")).toBeDefined();
  expect(Buffer.from(await ring.unprotect("p", box))).toEqual(secret);
});

test("warns about a missing number", async () => {
  const { path, open, ring } = await openParts();
  await ring.rotate("now");
  await ring.rotate("now");
  await unlink(join(path, "00000002.key"));
  expect((await open()).warnings).toEqual([
    expect.stringMatching(/00000002\.key is missing\. Restore it from a backup/),
  ]);
});

test("a rotation returns its own key while another process adds the next one", async () => {
  const path = await newFolder();
  const other = await openKeyRing({ path, random: randomBytes });
  const ring = await openKeyRing({
    path,
    random: randomBytes,
    async link(draft, file) {
      await link(draft, file);
      await other.rotate("now");
    },
  });
  expect(await ring.rotate("now")).toMatchObject({ number: 2, isNewest: false });
  expect(ring.keys().map(({ number }) => number)).toEqual([1, 2, 3]);
});

const ROTATING = `
  import { randomBytes } from "node:crypto";
  import { openKeyRing } from ${JSON.stringify(import.meta.resolve("./key-ring.ts"))};
  const ring = await openKeyRing({ path: process.argv[1], random: randomBytes });
  process.send?.("open");
  process.once("message", async () => {
    for (let count = 0; count < Number(process.argv[2]); count += 1) {
      const key = await ring.rotate("now");
      process.send?.({ key: key?.id });
    }
    process.disconnect?.();
  });
`;

function startRotating(path: string, count: number) {
  const node = ["--conditions=@sealhouse/source", "--input-type=module", "-e", ROTATING];
  const child = spawn(process.execPath, [...node, path, String(count)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const added: string[] = [];
  child.on("message", (message) => {
    if (typeof message !== "object" || message === null || !("key" in message)) return;
    if (typeof message.key === "string") added.push(message.key);
  });
  return { child, added };
}

test("two processes that rotate together lose no key", { timeout: 60_000 }, async () => {
  const path = await newFolder();
  const first = await openKeyRing({ path, random: randomBytes });
  const box = first.protect("p", secret);
  const processes = [startRotating(path, 20), startRotating(path, 20)];
  await Promise.all(processes.map(({ child }) => once(child, "message")));
  const ends = processes.map(({ child }) => once(child, "exit"));
  for (const { child } of processes) child.send("go");
  await Promise.all(ends);
  const ring = await openKeyRing({ path, random: randomBytes });
  expect(ring.warnings).toEqual([]);
  const ids = ring.keys().map(({ id }) => id);
  const added = processes.flatMap((rotating) => rotating.added);
  expect(new Set(added).size).toBe(added.length);
  expect(ids.slice(1).toSorted()).toEqual(added.toSorted());
  expect((await readdir(path)).every((name) => name.endsWith(".key"))).toBe(true);
  expect(Buffer.from(await ring.unprotect("p", box))).toEqual(secret);
});

test(
  "a process that is killed while it rotates leaves whole keys",
  { timeout: 60_000 },
  async () => {
    const path = await newFolder();
    const first = await openKeyRing({ path, random: randomBytes });
    const box = first.protect("p", secret);
    for (let round = 0; round < 8; round += 1) {
      const { child, added } = startRotating(path, 1_000);
      await once(child, "message");
      child.send("go");
      while (added.length < 3 + round) await once(child, "message");
      child.kill("SIGKILL");
      await once(child, "exit");
      const ring = await openKeyRing({ path, random: randomBytes });
      expect(ring.keys().map(({ id }) => id)).toEqual(expect.arrayContaining(added));
      expect(ring.warnings).toEqual([]);
      expect(Buffer.from(await ring.unprotect("p", box))).toEqual(secret);
    }
    // Unfinished files of killed processes go after an hour.
    const tomorrow = () => new Date(Date.now() + DAY_MS);
    const ring = await openKeyRing({ path, random: randomBytes, now: tomorrow });
    expect(await ring.wrapFiles()).toBe(0);
    expect((await readdir(path)).every((name) => name.endsWith(".key"))).toBe(true);
  },
);
