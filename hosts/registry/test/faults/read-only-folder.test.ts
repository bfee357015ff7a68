import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKeyRing, volatilePlaceOf } from "@sealhouse/identity";
import { expect, test, vi } from "vitest";
import { spawnCli, spawnHost } from "../../src/testing/index.ts";

const canMount = isMountable();
if (!canMount) {
  process.stderr.write("SKIPPED: read-only folders, because this user cannot mount one.\n");
}

test.runIf(canMount)(
  "serve and config check refuse a data folder on a read-only file system",
  { timeout: 120_000 },
  async () => {
    await using disk = openReadOnlyDisk();
    const data = join(disk.path, "data");
    const env = { Host__DataPath: data, ASPNETCORE_URLS: "http://127.0.0.1:0" };
    for (const words of [["serve"], ["config", "check"]]) {
      const { code, stderr } = await spawnCli(words, { folder: tmpdir(), env });
      expect([code, stderr]).toEqual([
        78,
        `Host__DataPath: the folder ${data} does not exist and cannot be created: ${disk.path} ` +
          "is on a read-only file system (EROFS). Correct its owner or its mount, or set " +
          "Host__DataPath to another place.\n",
      ]);
    }
    const own = { Host__DataPath: disk.path };
    const { code, stderr } = await spawnCli(["config", "check"], { folder: tmpdir(), env: own });
    expect(code).toBe(78);
    expect(stderr).toContain(
      `Host__DataPath: the folder ${disk.path} is on a read-only file system (EROFS). Correct`,
    );
  },
);

test.runIf(canMount)(
  "serve continues with an old key on a read-only file system, and warns",
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sealhouse-keys-"));
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
    const keys = join(folder, "keys");
    const now = () => new Date(Date.now() - 100 * 24 * 60 * 60_000);
    await openKeyRing({ path: keys, random: randomBytes, now, applicationName: "Sealhouse" });
    execFileSync("mount", ["--bind", keys, keys]);
    cleanUp.defer(() => void execFileSync("umount", ["--lazy", keys]));
    execFileSync("mount", ["-o", "remount,ro,bind", keys]);
    const env = { Host__DataProtection__KeyPath: keys, Signing__Mode: "" };
    await using host = await spawnHost({ folder, env });
    const warning = /EROFS.*could not write to the folder of the key ring; its keys stay in use/;
    await vi.waitFor(() => expect(host.output()).toMatch(warning), 20_000);
    expect((await host.cli("npm", "keys", "rotate")).code).toBe(0);
    expect(readdirSync(keys)).toEqual(["00000001.key"]);
  },
);

test.runIf(canMount)("recognizes a key ring in a container layer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sealhouse-overlay-"));
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  cleanUp.defer(() => void execFileSync("umount", ["--lazy", folder]));
  const at = (name: string) => join(folder, name);
  for (const name of ["lower", "upper", "work", "keys"]) mkdirSync(at(name));
  const options = `lowerdir=${at("lower")},upperdir=${at("upper")},workdir=${at("work")}`;
  execFileSync("mount", ["-t", "overlay", "-o", options, "overlay", at("keys")]);
  cleanUp.defer(() => void execFileSync("umount", ["--lazy", at("keys")]));
  expect(await volatilePlaceOf(at("keys"))).toBe("container-layer");
  expect(await volatilePlaceOf(folder)).toBe("memory");
});

/** Runs the check of the folders as another user; its code is loaded before. */
const AS_NOBODY = `
  import { checkFolders } from ${JSON.stringify(import.meta.resolve("../../src/wiring/resources/check-folders.ts"))};
  const path = process.argv[1];
  process.setgroups([]);
  process.setgid(65534);
  process.setuid(65534);
  await checkFolders({
    dataPath: path,
    host: {
      pepper: { type: "generated", path: path + "/token-hash-pepper" },
      keyRing: { path: path + "/keys" },
    },
    storage: { type: "FileSystem", path: path + "/packages" },
    database: { type: "Sqlite", path: path + "/sealhouse.db" },
  }).catch((error) => console.log(error.message));
`;

test.runIf(process.getuid?.() === 0)(
  "a data folder of another user is refused with the reason",
  { timeout: 60_000 },
  () => {
    const parent = mkdtempSync(join(tmpdir(), "sealhouse-owner-"));
    try {
      execFileSync("chmod", ["755", parent]);
      const path = join(parent, "data");
      mkdirSync(path, { mode: 0o755 });
      const node = ["--conditions=@sealhouse/source", "--input-type=module", "-e", AS_NOBODY];
      const { stdout, stderr } = spawnSync(process.execPath, [...node, path], { encoding: "utf8" });
      expect(stdout, stderr).toBe(
        `Host__DataPath: the folder ${path} cannot be written by the user of this process ` +
          "(EACCES). Correct its owner or its mount, or set Host__DataPath to another place.\n",
      );
    } finally {
      rmSync(parent, { recursive: true });
    }
  },
);

/** An empty file system in memory that refuses writes. */
function openReadOnlyDisk() {
  const path = mkdtempSync(join(tmpdir(), "sealhouse-read-only-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", path]);
  return {
    path,
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["--lazy", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function isMountable(): boolean {
  const path = mkdtempSync(join(tmpdir(), "sealhouse-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", path], { stdio: "ignore" });
    execFileSync("umount", [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
