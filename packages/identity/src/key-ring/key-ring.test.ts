import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { KeyRingError } from "../errors.ts";
import { openKeyRing } from "./key-ring.ts";

const random = (size: number) => randomBytes(size);
const secret = Buffer.from("upstream password");
const failure = (code: string) => expect.objectContaining({ name: "KeyRingError", code }) as Error;

async function folder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "key-ring-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  return join(parent, "nested", "keys");
}

test("decrypts data after a restart", async () => {
  const path = await folder();
  const ring = await openKeyRing({ path, random });
  const box = ring.protect("sources", secret);
  expect(Buffer.from(box).includes(secret)).toBe(false);
  const restarted = await openKeyRing({ path, random });
  expect(Buffer.from(await restarted.unprotect("sources", box))).toEqual(secret);
  expect(restarted.warnings).toEqual([]);
});

test("encrypts an empty value, and equal values differently", async () => {
  const ring = await openKeyRing({ path: await folder(), random });
  expect(await ring.unprotect("p", ring.protect("p", new Uint8Array()))).toHaveLength(0);
  expect(ring.protect("p", secret)).not.toEqual(ring.protect("p", secret));
});

test("does not decrypt for another purpose or application name", async () => {
  const path = await folder();
  const ring = await openKeyRing({ path, random });
  const box = ring.protect("sources", secret);
  await expect(ring.unprotect("targets", box)).rejects.toThrow(failure("tampered"));
  const other = await openKeyRing({ path, random, applicationName: "other" });
  await expect(other.unprotect("sources", box)).rejects.toThrow(failure("unknown-key"));
});

test("detects every changed byte", async () => {
  const ring = await openKeyRing({ path: await folder(), random });
  const box = ring.protect("p", secret);
  const changes = Array.from(box, (_, position) =>
    Uint8Array.from(box, (byte, index) => (index === position ? byte ^ 1 : byte)),
  );
  await Promise.all(
    changes.map((changed) => expect(ring.unprotect("p", changed)).rejects.toThrow(KeyRingError)),
  );
});

test("distinguishes unencrypted data from data with a missing key", async () => {
  const ring = await openKeyRing({ path: await folder(), random });
  const stranger = await openKeyRing({ path: await folder(), random });
  await expect(ring.unprotect("p", secret)).rejects.toThrow(failure("not-protected"));
  await expect(ring.unprotect("p", new Uint8Array())).rejects.toThrow(failure("not-protected"));
  const box = stranger.protect("p", secret);
  await expect(ring.unprotect("p", box)).rejects.toThrow(failure("unknown-key"));
  await expect(ring.unprotect("p", box)).rejects.toThrow(/Restore that key file/);
});

test("processes that start together share one key", async () => {
  const path = await folder();
  const rings = await Promise.all(Array.from({ length: 20 }, () => openKeyRing({ path, random })));
  const derived = new Set(rings.map((ring) => Buffer.from(ring.derive("p")).toString("hex")));
  expect(derived.size).toBe(1);
  expect(await readdir(path)).toEqual(["00000001.key"]);
});

test.skipIf(process.platform === "win32")("only the owner can read the key files", async () => {
  const path = await folder();
  await openKeyRing({ path, random });
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect((await stat(join(path, "00000001.key"))).mode & 0o777).toBe(0o600);
  await chmod(join(path, "00000001.key"), 0o644);
  const { warnings } = await openKeyRing({ path, random });
  expect(warnings).toEqual([expect.stringMatching(/chmod 600 ".*00000001\.key"/)]);
});

test("encrypts with the newest key and decrypts with older ones", async () => {
  const path = await folder();
  const before = await openKeyRing({ path, random });
  const box = before.protect("p", secret);
  const added = `${randomBytes(32).toString("base64url")}\n`;
  await writeFile(join(path, "00000002.key"), added, { mode: 0o600 });
  const after = await openKeyRing({ path, random });
  expect(Buffer.from(await after.unprotect("p", box))).toEqual(secret);
  expect(Buffer.from(await before.unprotect("p", after.protect("p", secret)))).toEqual(secret);
  expect(after.derive("session")).toEqual(before.derive("session"));
});

test("refuses a damaged key file and does not change it", async () => {
  const path = await folder();
  await openKeyRing({ path, random });
  await writeFile(join(path, "00000001.key"), "");
  await expect(openKeyRing({ path, random })).rejects.toThrow(failure("bad-key-file"));
  expect(await readFile(join(path, "00000001.key"), "utf8")).toBe("");
});

test("derives 32 bytes per purpose", async () => {
  const ring = await openKeyRing({ path: await folder(), random });
  expect(ring.derive("a")).toHaveLength(32);
  expect(ring.derive("a")).toEqual(ring.derive("a"));
  expect(ring.derive("a")).not.toEqual(ring.derive("b"));
});

test("works without a folder until the process ends, and warns", async () => {
  const ring = await openKeyRing({ random });
  expect(Buffer.from(await ring.unprotect("p", ring.protect("p", secret)))).toEqual(secret);
  expect(ring.warnings).toEqual([expect.stringMatching(/cannot be decrypted after a restart/)]);
});
