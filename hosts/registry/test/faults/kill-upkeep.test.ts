import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";

const API = "/api/admin/v1";
const VERSIONS = 40;
const SETTINGS = {
  Feed__Oci__Default__Enabled: "true",
  Retention__MaxPrereleaseVersionsPerPackage: "1",
  Feed__Oci__TagRules__0__Name: "all",
  Feed__Oci__TagRules__0__KeepNewest: "1",
};

const cleanUp = new AsyncDisposableStack();
let folder: string;
let token = "";

beforeAll(async () => {
  folder = cleanUp.use(await openFolder()).path;
  await using host = await spawnHost({ folder, env: SETTINGS });
  token = await host.makeToken({ name: "ada", scopes: "read,write,admin" });
  for (const id of ["First", "Second"]) {
    for (const n of Array.from({ length: VERSIONS }, (_, at) => at)) {
      const body = buildNupkg({ id, version: `1.0.0-a${n}`, files: { "a.txt": "a" } });
      const headers = { "x-nuget-apikey": token };
      await host.fetch("/api/v2/package/", { method: "PUT", headers, body });
    }
  }
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

type Job = { readonly state: string; readonly result?: Record<string, unknown> };

async function call(host: TestHost, method: string, path: string, body?: object) {
  const answer = await host.fetch(`${API}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "if-match": "*",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function begin(host: TestHost, { method, path, body }: Long): Promise<string> {
  const started = await call(host, method, path, body);
  expect([started.status, started.body]).toEqual([202, { job: expect.any(String) }]);
  return String(started.body["job"]);
}

async function jobOf(host: TestHost, id: string): Promise<Job> {
  return (await call(host, "GET", `/jobs/${id}`)).body as Job;
}

async function ended(host: TestHost, id: string): Promise<Job> {
  await expect
    .poll(async () => (await jobOf(host, id)).state, { timeout: 30_000 })
    .not.toBe("running");
  return jobOf(host, id);
}

/** As if a minute had passed: jobs and leases of a killed process are given up. */
function passMinute(): void {
  const rows = openSqliteFile(join(folder, "sealhouse.db"));
  for (const table of ["leases", "action_jobs"]) {
    rows.exec(`update ${table} set held_until = held_until - 61000`);
  }
  rows.close();
}

type Long = {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Fields of the result of a run that completes. */
  readonly result: object;
};

const LONG: Readonly<Record<string, Long>> = {
  "retention of prereleases": {
    method: "POST",
    path: "/retention/runs?dry-run=false",
    result: { dryRun: false, packages: 2 },
  },
  "retention of tags": {
    method: "POST",
    path: "/images/retention-runs?dry-run=false",
    result: { dryRun: false },
  },
  "collection of garbage": {
    method: "POST",
    path: "/images/garbage-collections?dry-run=false",
    result: { runs: [{ status: "finished", dryRun: false }] },
  },
  "check of the storage": {
    method: "POST",
    path: "/storage/checks?dry-run=true",
    body: { scrub: true, notSince: "0" },
    result: { sound: true },
  },
  "deletion of a name": {
    method: "DELETE",
    path: "/packages/nuget/second",
    result: { name: "second" },
  },
};

test("of two checks at once, the second is refused, and says that the first runs", async () => {
  await using host = await spawnHost({ folder, env: SETTINGS });
  // Slow enough to still run when the second begins.
  const body = { scrub: true, notSince: "0", rate: 0.001 };
  const check = { method: "POST", path: "/storage/checks?dry-run=true", body, result: {} };
  const [first, second] = [await begin(host, check), await begin(host, check)];
  expect(await ended(host, second)).toMatchObject({
    state: "refused",
    result: { reason: "busy", message: expect.stringMatching(/^Another check is running; wait/) },
  });
  expect((await jobOf(host, first)).state).toBe("running");
  const command = await host.cli("check");
  expect([command.code, command.stderr]).toEqual([5, expect.stringContaining("Another check")]);
  await host.kill();
  passMinute();
  await using again = await spawnHost({ folder, env: SETTINGS });
  expect((await jobOf(again, first)).state).toBe("lost");
}, 60_000);

test.each(Object.entries(LONG))(
  "the job of a %s is lost with its host, and a repeat completes",
  async (_title, long) => {
    const killed = await spawnHost({ folder, env: SETTINGS });
    const id = await begin(killed, long);
    await killed.kill();
    passMinute();
    await using host = await spawnHost({ folder, env: SETTINGS });
    const { state } = await jobOf(host, id);
    // A short run may have ended before the signal arrived.
    expect(["lost", "done"]).toContain(state);
    if (long.path.startsWith("/packages") && state === "done") return;
    const repeat = await ended(host, await begin(host, long));
    expect(repeat).toMatchObject({ state: "done", result: long.result });
  },
  60_000,
);
