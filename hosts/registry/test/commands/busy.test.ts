import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/settings/load.ts";
import { runInProcess } from "../../src/testing/run-in-process.ts";

const BUSY = 5;
const MINUTE_MS = 60_000;

/** The commands of work that runs once at a time, each with the lease of that work. */
const COMMANDS = [
  ["check", "check-command"],
  ["oci check", "check-command"],
  ["oci gc", "oci-gc default"],
  ["oci retention", "oci-retention"],
  ["retention run", "retention"],
  ["npm keys revoke SHA256:any", "npm-signatures"],
] as const;

describe("while another run of the same work holds the lease", () => {
  let folder = "";
  const env = () => ({
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Retention__MaxPrereleaseAgeDays: "1",
    Feed__Oci__TagRules__0__Name: "all",
    Feed__Oci__TagRules__0__KeepNewest: "1",
  });
  const holdLeases = async (holder: string, leaseMs: number) => {
    const { config } = loadConfig({ env: env(), workingFolder: folder });
    await using database = await openDatabase(config.database, { migrate: true });
    for (const [, lease] of COMMANDS) {
      await database.leases.acquire(lease, holder, leaseMs);
    }
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sealhouse-busy-"));
    await holdLeases("killed", MINUTE_MS);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(COMMANDS)("%s ends with exit code 5 and the time to try again", async (words) => {
    const before = Date.now();
    const { code, printed, stderr } = await runInProcess(words.split(" "), {
      folder,
      env: env(),
    });
    expect([code, printed]).toEqual([BUSY, ""]);
    expect(stderr).toMatch(/[Aa]nother \S.* is running; wait until it ends\. If it was killed, /);
    const [, time = ""] = /run this command again at (\S+Z)\.$/.exec(stderr) ?? [];
    expect(Date.parse(time)).toBeLessThanOrEqual(before + MINUTE_MS);
  });
});
