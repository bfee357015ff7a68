import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { loadConfig } from "../../settings/load.ts";
import { runInProcess } from "../../testing/run-in-process.ts";
import { openCore } from "../core.ts";
import { upkeep } from "./upkeep.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let folder = "";
const env = () => ({ ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealhouse-audit-retention-"));
  const { config } = loadConfig({ env: env(), workingFolder: folder });
  await using database = await openDatabase(config.database, { migrate: true });
  await database.events.record([
    { type: "token.revoked", subject: "token/t-1", caller: { actor: "alice" } },
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

async function listAudit(): Promise<string> {
  return (await runInProcess(["audit", "list"], { folder, env: env() })).printed;
}

/** Runs the job of a host with this setting, `days` after the event; false when it has no job. */
async function runJob(retention: string | undefined, days: number): Promise<boolean> {
  const set = retention === undefined ? {} : { Host__Audit__Retention: retention };
  const { config } = loadConfig({ env: { ...env(), ...set }, workingFolder: folder });
  const now = () => new Date(Date.now() + days * DAY_MS);
  const log = createLog({ level: "None", format: "Json" }, () => undefined);
  await using core = await openCore(config, { log, now });
  const { jobs = [] } = await upkeep.open(core);
  const job = jobs.find((one) => one?.name === "audit retention");
  await job?.run(new AbortController().signal);
  return job !== undefined;
}

test("a host without Host__Audit__Retention keeps audit records", async () => {
  expect(await runJob(undefined, 4000)).toBe(false);
  expect(await listAudit()).toContain("token/t-1");
});

test("a host deletes audit records that are older than Host__Audit__Retention", async () => {
  expect(await listAudit()).toContain("token/t-1");
  expect(await runJob("2.00:00:00", 1)).toBe(true);
  expect(await listAudit()).toContain("token/t-1");
  expect(await runJob("2.00:00:00", 3)).toBe(true);
  expect(await listAudit()).toBe("");
});
