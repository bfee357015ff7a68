import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { spawnCli, spawnHost } from "../src/testing/index.ts";
import { npmArtifact, nugetArtifact } from "./artifacts.ts";

const SAID = "restricted files and folders to their owner";

test("the data folder is readable by its owner only", { timeout: 120_000 }, async () => {
  await using cleanUp = new AsyncDisposableStack();
  const place = await mkdtemp(join(tmpdir(), "sealhouse-owner-"));
  cleanUp.defer(() => rm(place, { recursive: true, force: true }));
  const folder = join(place, "data");
  const outside = join(place, "outside");
  await mkdir(folder, { mode: 0o700 });
  await mkdir(outside);
  await writeFile(join(outside, "notes"), "not the host's");
  await openToAll(outside);
  {
    await using host = await spawnHost({ folder });
    const token = await host.makeToken({ scopes: "read,write" });
    expect(await nugetArtifact("Acme.Modes", Buffer.alloc(100_000)).push(host, token)).toBe(true);
    expect(await npmArtifact("modes", Buffer.alloc(100_000, "x")).push(host, token)).toBe(true);
    expect(await readableByOthers(folder)).toEqual([]);
    expect(host.output()).not.toContain(SAID);
  }
  // As an older version left it.
  await openToAll(folder);
  await symlink(outside, join(folder, "link"));
  const count = (await readableByOthers(folder)).length;
  expect(count).toBeGreaterThan(10);
  {
    await using host = await spawnHost({ folder });
    await vi.waitFor(() => expect(host.output()).toContain(SAID), 10_000);
    expect(await readableByOthers(folder)).toEqual([]);
    expect(await readableByOthers(outside)).toHaveLength(2);
    expect(host.output().split(SAID)).toHaveLength(2);
    const corrected = Number(/"corrected":(\d+)/.exec(host.output())?.[1]);
    expect(Math.abs(corrected - count)).toBeLessThan(4);
    expect(await nugetArtifact("Acme.Modes", Buffer.alloc(0)).check(host)).not.toBe("absent");
  }
});

test("a command alone creates files for their owner only", async () => {
  await using cleanUp = new AsyncDisposableStack();
  const place = await mkdtemp(join(tmpdir(), "sealhouse-owner-"));
  cleanUp.defer(() => rm(place, { recursive: true, force: true }));
  await mkdir(join(place, "data"));
  await chmod(join(place, "data"), 0o755);
  const words = ["token", "create", "--name", "laptop"];
  expect((await spawnCli(words, { folder: join(place, "data") })).code).toBe(0);
  const open = await readableByOthers(join(place, "data"));
  expect(open).toEqual([join(place, "data")]);
});

async function pathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true });
  return [folder, ...entries.map((entry) => join(folder, entry))];
}

async function readableByOthers(folder: string): Promise<readonly string[]> {
  const open: string[] = [];
  for (const path of await pathsIn(folder)) {
    // Node walks through links.
    if (path.includes("/link/")) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0) open.push(path);
  }
  return open;
}

async function openToAll(folder: string): Promise<void> {
  for (const path of await pathsIn(folder)) {
    const stats = await lstat(path);
    await chmod(path, stats.isDirectory() ? 0o755 : 0o644);
  }
}
