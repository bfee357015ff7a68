import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { expectUnavailable, pushAll, statusesOf } from "../unavailable-answers.ts";
import { isMountable, openDisk } from "./small-disk.ts";

const STORED = [201, 200, 201];

const canMount = isMountable();

test.runIf(canMount)(
  "a full disk of the database is 503, loses nothing and recovers",
  async () => {
    await using disk = openDisk("8m");
    const database = { Database__ConnectionString: `Data Source=${join(disk.path, "s.db")}` };
    await using host = await spawnHost({ env: database });
    const token = await host.makeToken({ scopes: "read,write" });
    expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
    const keptArtifacts = [nugetArtifact("Kept", NOTHING), npmArtifact("kept", NOTHING)];
    for (const artifact of keptArtifacts) expect(await artifact.push(host, token)).toBe(true);

    disk.fill();
    for (const size of [200, 300_000]) {
      // What the log has room for is still stored.
      for (let round = 0; round < 20; round += 1) {
        if (statusesOf(await pushAll(host, token, size)).every((status) => status === 503)) break;
      }
      const refused = await pushAll(host, token, size);
      expectUnavailable(refused, "The registry's database has no disk space left.");
    }
    for (const artifact of keptArtifacts) expect(await artifact.check(host)).toBe("whole");
    const made = await host.cli("token", "create", "--name", "late");
    expect(made.code).toBe(1);
    expect(made.stderr).toMatch(/^The SQLite file ".*" has no space left: .*\n$/);

    disk.empty();
    expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
    expect(await host.stop()).toBe(0);
  },
  180_000,
);

test.runIf(canMount)(
  "a full disk of the storage is 503, loses nothing and recovers",
  async () => {
    await using disk = openDisk("8m");
    const storage = { Storage__Path: join(disk.path, "objects") };
    await using host = await spawnHost({ env: storage });
    const token = await host.makeToken({ scopes: "read,write" });
    expect(statusesOf(await pushAll(host, token, 300_000))).toEqual(STORED);
    const keptArtifacts = [
      nugetArtifact("Kept", NOTHING),
      npmArtifact("kept", LARGE),
      ociArtifact("k/k", LARGE),
    ];
    for (const artifact of keptArtifacts) expect(await artifact.push(host, token)).toBe(true);

    disk.fill();
    const refused = await pushAll(host, token, 300_000);
    expectUnavailable(refused, "The registry's storage has no disk space left.");
    const rotated = await host.cli("signing", "rotate", "--now");
    expect(rotated.code).toBe(1);
    expect(rotated.stderr).toMatch(/disk is full/);
    expect(rotated.stderr).not.toMatch(/^ {4}at /m);
    for (const artifact of keptArtifacts) expect(await artifact.check(host)).toBe("whole");

    disk.empty();
    expect(statusesOf(await pushAll(host, token, 300_000))).toEqual(STORED);
    for (const artifact of keptArtifacts) expect(await artifact.check(host)).toBe("whole");
  },
  180_000,
);

const NOTHING = new Uint8Array(100);
const LARGE = new Uint8Array(200_000).map((_, index) => index % 251);
