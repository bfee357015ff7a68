import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { openTestPlace, stopTestCluster, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { openWay } from "./closable-way.ts";
import { expectUnavailable, pushAll, statusesOf } from "./unavailable-answers.ts";

const STORED = [201, 200, 201];
const servers = testableDatabases().filter((type) => type !== "Sqlite");

test("reads go on while another process holds SQLite's lock, and pushes wait or get 503", async () => {
  await using host = await startHost();
  const token = await host.makeToken({ scopes: "read,write" });
  // The first push makes the signing key, and leaves something to read.
  expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
  using other = new DatabaseSync(join(host.folder, "sealhouse.db"), { timeout: 5_000 });

  other.exec("begin immediate");
  const waiting = pushAll(host, token);
  await delay(300);
  await expectQuickReads(host, token, 1_000);
  other.exec("rollback");
  expect(statusesOf(await waiting)).toEqual(STORED);

  other.exec("begin immediate");
  const refused = pushAll(host, token);
  await expectQuickReads(host, token, 3_000);
  expectUnavailable(await refused, "The registry's database is locked or busy.");
  const made = await host.cli("token", "create", "--name", "late");
  expect(made.code).toBe(1);
  expect(made.stderr).toMatch(/^The SQLite file ".*" is locked or busy: database is locked\.\n$/);
  other.exec("rollback");
  expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
});

describe.each(servers)("%s", (type) => {
  test("answers 503 while the server is away, and goes on when it is back", async () => {
    await using place = await openTestPlace(type);
    if (place.config.type === "Sqlite") throw new Error("not a server");
    await using way = await openWay(place.config.port);
    const env = databaseSettings({ ...place.config, port: way.port });
    await using host = await startHost({ env });
    const token = await host.makeToken({ scopes: "read,write" });
    expect(statusesOf(await pushAll(host, token))).toEqual(STORED);

    await way.close();
    expectUnavailable(await pushAll(host, token), "The registry cannot reach its database.");
    const page = await host.fetch("/packages", { headers: { accept: "text/html" } });
    expect(page.status).toBe(503);
    expect(page.headers.get("retry-after")).toBe("10");
    const list = await host.cli("token", "list");
    expect(list.code).toBe(1);
    expect(list.stderr).toMatch(/^(?:PostgreSQL|MySQL) at 127\.0\.0\.1:\d+ \(.*\) does not answer/);
    expect(list.stderr.trim().split("\n")).toHaveLength(1);

    await way.open();
    expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
    expect((await host.fetch("/health/ready")).status).toBe(200);
    expect(await host.stop()).toBe(0);
  });
});

afterAll(stopTestCluster);

/** Reads that need the process alone, and reads that need the database. A busy machine delays a few
 * of them; a blocked event loop would delay them by seconds. */
async function expectQuickReads(host: TestHost, token: string, forMs: number): Promise<void> {
  const authorization = `Bearer ${token}`;
  const times: number[] = [];
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    for (const path of ["/health/live", "/npm/-/whoami"]) {
      const startedAt = performance.now();
      const answer = await host.fetch(path, { headers: { authorization } });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      times.push(performance.now() - startedAt);
    }
    await delay(20);
  }
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length * 0.9)]).toBeLessThan(100);
  expect(times.at(-1)).toBeLessThan(1_000);
}
