import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { openKeyRing } from "@sealhouse/identity";
import { expect, test, vi } from "vitest";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { npmArtifact } from "./artifacts.ts";
import { openFolder } from "./clients/client.ts";

const CONTENT = new Uint8Array(1_000).fill(7);
const DAY_MS = 24 * 60 * 60_000;

test("a running host uses a key that a command has added", { timeout: 120_000 }, async () => {
  await using folder = await openFolder();
  const env = { Feed__Npm__Enabled: "true", Signing__Mode: "" };
  await using host = await spawnHost({ folder: folder.path, env });
  const token = await host.makeToken({ scopes: "write" });
  expect(await npmArtifact("before-rotation", CONTENT).push(host, token)).toBe(true);
  const rotated = await host.cli("keys", "rotate");
  expect([rotated.code, rotated.stdout.trim()]).toEqual([
    0,
    expect.stringMatching(/^[0-9a-f]{16}$/),
  ]);
  // The key of npm's signatures is now encrypted with a key that the host has not read.
  const npmKey = await host.cli("npm", "keys", "rotate");
  expect(npmKey.code).toBe(0);
  expect(await npmArtifact("after-rotation", CONTENT).push(host, token)).toBe(true);
  // Signatures appear when the job of the first start has announced the key.
  await vi.waitFor(async () => {
    const answer = await host.fetch("/npm/after-rotation");
    expect(await answer.text()).toContain(npmKey.stdout.trim());
  }, 20_000);
  const audit = await host.cli("audit", "list", "--json");
  expect(audit.stdout).toContain('"key-ring"');
  expect(host.output()).not.toMatch(/"level":"error"/);
  const check = await host.cli("config", "check");
  expect(check.stdout).toMatch(/^key 1 .* decrypts\nkey 2 .* encrypts and decrypts\n/);
});

test("a start encrypts the key files and rotates an old key", { timeout: 120_000 }, async () => {
  await using folder = await openFolder();
  const path = join(folder.path, "keys");
  const now = () => new Date(Date.now() - 100 * DAY_MS);
  await openKeyRing({ path, random: randomBytes, now, applicationName: "Sealhouse" });
  const env = {
    Host__DataProtection__KeyPath: path,
    Host__DataProtection__KeyEncryptionKey: randomBytes(32).toString("base64"),
    Signing__Mode: "",
  };
  {
    await using host = await spawnHost({ folder: folder.path, env });
    await vi.waitFor(() => expect(host.output()).toContain("added a key to the key ring"), 20_000);
    expect(host.output()).toContain("encrypted key files with the wrapping key");
  }
  const names = (await readdir(path)).toSorted();
  expect(names).toEqual(["00000001.key", "00000002.key"]);
  for (const name of names) {
    expect(await readFile(join(path, name), "utf8")).toMatch(/"wrappedKey":/);
  }
  const { Host__DataProtection__KeyEncryptionKey: _, ...without } = env;
  const refused = await spawnCli(["serve"], { folder: folder.path, env: without });
  expect(refused.code).toBe(78);
  expect(refused.stderr).toMatch(/^Host__DataProtection__KeyEncryptionKey is not set/m);
});
