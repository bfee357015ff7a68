import type * as Fs from "node:fs";
import { fdatasync, fdatasyncSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { openRegistry } from "./registry.ts";
import { loadConfig } from "./settings/load.ts";

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  const { fdatasync: beside, fdatasyncSync: direct } = fs;
  return { ...fs, fdatasync: vi.fn(beside), fdatasyncSync: vi.fn(direct) };
});

const folder = await mkdtemp(join(tmpdir(), "sealhouse-health-"));
afterAll(() => rm(folder, { recursive: true }));

const log = createLog({ level: "None", format: "Json" }, () => undefined);
const DEVELOPMENT = { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: folder };

test("/health reports that SQLite's log could not be synced", async () => {
  const { config } = loadConfig({ env: DEVELOPMENT, workingFolder: folder });
  const registry = await openRegistry(config, { log });
  const ask = (path: string, init?: RequestInit) =>
    registry.fetch(new Request(`http://localhost${path}`, init));
  const headers = { accept: "application/json" };
  expect((await ask("/health", { headers })).status).toBe(200);

  const broken = new Error("EIO: i/o error");
  vi.mocked(fdatasyncSync).mockImplementation(() => {
    throw broken;
  });
  vi.mocked(fdatasync).mockImplementation((_, done) => done(broken));
  // A login is a row.
  const login = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  expect((await ask("/npm/-/v1/login", login)).status).toBe(503);
  // The disk works again, but the last changes may be lost.
  vi.resetAllMocks();
  const answer = await ask("/health", { headers });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    checks: {
      package_catalog_db: { status: "unhealthy" },
      storage: { status: "healthy" },
    },
  });
  expect((await ask("/health/live")).status).toBe(200);
  await registry[Symbol.asyncDispose]();
});
