import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { KeyRingOptions } from "./key-ring.ts";
import { openKeyRing } from "./key-ring.ts";

const secret = Buffer.from("upstream password");
const failure = (code: string) => expect.objectContaining({ name: "KeyRingError", code }) as Error;

const wrappedBy = (key: Uint8Array): Pick<KeyRingOptions, "wrappingKey"> => ({
  wrappingKey: { type: "value", value: Buffer.from(key).toString("base64") },
});
const OURS = wrappedBy(Buffer.from("0123456789abcdefghijklmnopqrstuv"));
const OTHER = wrappedBy(Buffer.from("vutsrqponmlkjihgfedcba9876543210"));

async function newFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "key-wrapping-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  return join(parent, "keys");
}

const open = (path: string, options: Partial<KeyRingOptions> = {}) =>
  openKeyRing({ path, random: randomBytes, ...options });

const textOf = (path: string, name = "00000001.key") => readFile(join(path, name), "utf8");

test("a wrapped key file does not contain the key", async () => {
  const path = await newFolder();
  let made: Uint8Array | undefined;
  const random = (size: number) => {
    const bytes = randomBytes(size);
    if (size === 32) made = bytes;
    return bytes;
  };
  const ring = await open(path, { ...OURS, random });
  const box = ring.protect("p", secret);
  const text = await textOf(path);
  const start = String.raw`\{"version":2,"createdAt":"\d{4}-[^"]+Z",`;
  const end = String.raw`"wrappedKey":"[\w-]{80}","wrappingKeyId":"[0-9a-f]{16}"\}`;
  expect(text).toMatch(new RegExp(`^${start}${end}\n$`));
  expect(text).not.toContain(Buffer.from(made ?? []).toString("base64url"));
  expect(Buffer.from(await (await open(path, OURS)).unprotect("p", box))).toEqual(secret);
});

test("wraps existing files of both formats, and keeps their dates and values", async () => {
  const path = await newFolder();
  const plain = await open(path);
  await plain.rotate("now");
  const { key } = JSON.parse(await textOf(path)) as { key: string };
  await writeFile(join(path, "00000001.key"), key);
  const box = plain.protect("p", secret);
  const dates = (await open(path)).keys().map(({ createdAt }) => createdAt);
  const ring = await open(path, OURS);
  expect(ring.keys().map(({ isWrapped }) => isWrapped)).toEqual([false, false]);
  expect(await ring.wrapFiles()).toBe(2);
  expect(await ring.wrapFiles()).toBe(0);
  expect(ring.keys().map(({ isWrapped }) => isWrapped)).toEqual([true, true]);
  expect(ring.keys().map(({ createdAt }) => createdAt)).toEqual(dates);
  for (const name of await readdir(path)) expect(await textOf(path, name)).not.toContain(key);
  const again = await open(path, OURS);
  expect(Buffer.from(await again.unprotect("p", box))).toEqual(secret);
  expect(again.derive("session")).toEqual(plain.derive("session"));
  expect(await again.rotate("now")).toMatchObject({ number: 3, isWrapped: true });
});

test("instances that wrap at once leave whole files", async () => {
  const path = await newFolder();
  const box = (await open(path)).protect("p", secret);
  const rings = await Promise.all(Array.from({ length: 8 }, () => open(path, OURS)));
  await Promise.all(rings.map((ring) => ring.wrapFiles()));
  const ring = await open(path, OURS);
  expect(ring.keys()).toMatchObject([{ isWrapped: true }]);
  expect(Buffer.from(await ring.unprotect("p", box))).toEqual(secret);
  expect(await readdir(path)).toEqual(["00000001.key"]);
});

test("a wrong or missing wrapping key is an error that names the setting", async () => {
  const path = await newFolder();
  await open(path, OURS);
  const text = await textOf(path);
  await expect(open(path, OTHER)).rejects.toThrow(failure("wrapping-key-wrong"));
  await expect(open(path, OTHER)).rejects.toThrow(/^Host__DataProtection__KeyEncryptionKey is not/);
  await expect(open(path)).rejects.toThrow(failure("wrapping-key-missing"));
  await expect(open(path)).rejects.toThrow(/^Host__DataProtection__KeyEncryptionKey is not set/);
  expect(await textOf(path)).toBe(text);
});

test("detects changes of a wrapped file, and files of newer releases", async () => {
  const path = await newFolder();
  await open(path, OURS);
  const file = join(path, "00000001.key");
  const fields = JSON.parse(await textOf(path)) as Record<string, string>;
  const write = (change: object) => writeFile(file, JSON.stringify({ ...fields, ...change }));
  await write({ createdAt: "2020-01-01T00:00:00.000Z" });
  await expect(open(path, OURS)).rejects.toThrow(/was changed/);
  const wrappedKey = String(fields["wrappedKey"]);
  await write({ wrappedKey: `${wrappedKey.startsWith("A") ? "B" : "A"}${wrappedKey.slice(1)}` });
  await expect(open(path, OURS)).rejects.toThrow(failure("bad-key-file"));
  await write({ version: 3 });
  await expect(open(path, OURS)).rejects.toThrow(/format of a newer release/);
});

test("reads the wrapping key from a file", async () => {
  const path = await newFolder();
  await open(path, OURS);
  const file = join(path, "..", "wrapping-key");
  const fromFile = { wrappingKey: { type: "file", path: file } } as const;
  await expect(open(path, fromFile)).rejects.toThrow(/KeyEncryptionKeyPath: cannot read the file/);
  await writeFile(file, "short\n");
  await expect(open(path, fromFile)).rejects.toThrow(failure("bad-wrapping-key"));
  await writeFile(file, `${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}\n`);
  expect((await open(path, fromFile)).keys()).toMatchObject([{ isWrapped: true }]);
});
