import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { openTestPlace, leaveTestServers, testableDatabases } from "@sealhouse/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { databaseSettings, isExtended, spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { openWay } from "./closable-way.ts";
import { expectUnavailable, pushAll, readAll, statusesOf } from "./unavailable-answers.ts";

const STORED = [201, 200, 201];
/** Kept in a file, not in a row. */
const LARGE = 2_000_000;
/** They take some seconds; the pushes wait for ten. */
const READ_ROUNDS = 20;
const DELAY_SECONDS_MAX = 0.1;
const servers = testableDatabases().filter((type) => type !== "Sqlite");

test("reads succeed while another process holds SQLite's lock, and pushes wait or get 503", async () => {
  await using host = await spawnHost();
  const token = await host.makeToken({ scopes: "read,write" });
  // The first push makes the signing key, and leaves something to read.
  expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
  using other = new DatabaseSync(join(host.folder, "sealhouse.db"), { timeout: 5_000 });

  other.exec("begin immediate");
  const waiting = pushAll(host, token);
  await delay(300);
  await expectReadsBefore(waiting, host, token);
  other.exec("rollback");
  expect(statusesOf(await waiting)).toEqual(STORED);

  other.exec("begin immediate");
  const refused = pushAll(host, token);
  await expectReadsBefore(refused, host, token);
  expectUnavailable(await refused, "The registry's database is locked or busy.");
  const made = await host.cli("token", "create", "--name", "late");
  expect(made.code).toBe(1);
  expect(made.stderr).toMatch(/^The SQLite file ".*" is locked or busy: database is locked\.\n$/);
  other.exec("rollback");
  expect(statusesOf(await pushAll(host, token))).toEqual(STORED);
});

/** The other server fails in the same way, which `pnpm test:extended` shows. */
describe.each(isExtended ? servers : servers.slice(0, 1))("%s", (type) => {
  test("answers 503 while the server is unavailable, and recovers afterwards", async () => {
    await using place = await openTestPlace(type);
    if (place.config.type === "Sqlite") throw new Error("not a server");
    await using way = await openWay(place.config.port);
    const env = databaseSettings({ ...place.config, port: way.port });
    await using host = await spawnHost({ env });
    const token = await host.makeToken({ scopes: "read,write" });
    expect(statusesOf(await pushAll(host, token))).toEqual(STORED);

    await way.close();
    const reason = "The registry cannot reach its database.";
    for (const size of [200, LARGE]) {
      expectUnavailable(await pushAll(host, token, size), reason);
    }
    expectUnavailable(await readAll(host, token), reason);
    const page = await host.fetch("/packages", { headers: { accept: "text/html" } });
    expect(page.status).toBe(503);
    expect(page.headers.get("retry-after")).toBe("10");
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ["/packages", "/administration", "/administration/audit.jsonl"]) {
      const answer = await host.fetch(path, { headers });
      expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "10"]);
      expect(await answer.text()).toContain(reason);
    }
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

afterAll(leaveTestServers);

/**
 * Reads without and with the database are answered while the pushes wait for the lock. A wait that
 * blocked the event loop would stop it in every round. A busy machine delays it too, but not in
 * every round, so the shortest of the longest delays counts.
 */
async function expectReadsBefore(
  pushes: Promise<unknown>,
  host: TestHost,
  token: string,
): Promise<void> {
  const authorization = `Bearer ${token}`;
  let haveEnded = false;
  const note = () => void (haveEnded = true);
  pushes.then(note, note);
  const delays: number[] = [];
  // The first scrape starts the measurement, and each resets it.
  await longestDelay(host);
  for (let round = 0; round < READ_ROUNDS; round += 1) {
    for (const path of ["/health/live", "/npm/-/whoami"]) {
      const answer = await host.fetch(path, { headers: { authorization } });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    }
    // Longer than the longest pause between two attempts to get the lock.
    await delay(100);
    delays.push(await longestDelay(host));
  }
  expect(haveEnded).toBe(false);
  expect(Math.min(...delays)).toBeLessThan(DELAY_SECONDS_MAX);
}

/** Longest delay of the host's event loop since the last call, in seconds. */
async function longestDelay(host: TestHost): Promise<number> {
  const text = await (await host.fetch("/metrics")).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
  return Number(seconds);
}
