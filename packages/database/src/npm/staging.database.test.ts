import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openTestParts } from "../testing/open-test-parts.ts";

const HOUR_MS = 60 * 60_000;
const [ci, alice] = [{ actor: "ci", address: "192.0.2.7" }, { actor: "alice" }];

function staged(wish: Parameters<typeof newNpmVersion>[0], now = new Date()) {
  const { publishedAt: _publishedAt, ...version } = newNpmVersion(wish);
  const expiresAt = new Date(now.getTime() + HOUR_MS);
  return [version, { stagedAt: now, expiresAt, perPackage: 10 }] as const;
}

describe.each(testableDatabases())("%s", (type) => {
  test("writes an event for each change of a staged version", async () => {
    const clock = { now: Date.now() };
    await using database = await openTestDatabase({ type, now: () => new Date(clock.now) });
    const { staging, recorder } = database.npm;
    const ids: string[] = [];
    for (const version of ["1.0.0", "2.0.0", "3.0.0"]) {
      const outcome = await staging.stage(...staged({ version }, new Date(clock.now)), ci);
      if (outcome.status === "staged") ids.push(outcome.id);
    }
    await staging.stage(...staged({ version: "3.0.0" }), ci);
    const [first = "", second = "", third = ""] = ids;
    const release = newNpmVersion({ version: "1.0.0", publishedAt: new Date(clock.now) });
    await recorder.release(first, release, alice);
    await recorder.release(first, release, alice);
    await staging.reject(second, alice);
    await staging.reject(second, alice);
    clock.now += 2 * HOUR_MS;
    await staging.expire(10);
    await staging.expire(10);

    const events = await database.events.outbox.pending("test", 100);
    const lines = events.map(({ type: what, subject, caller, detail }) => [
      what,
      subject,
      caller.actor,
      detail,
    ]);
    const bytes = { size: 7, sha256: expect.stringMatching(/^[\da-f]{64}$/) as string };
    const tags = ["latest"];
    expect(lines).toEqual([
      ["package.staged", "npm/demo@1.0.0", "ci", { stageId: first, ...bytes, tags }],
      ["package.staged", "npm/demo@2.0.0", "ci", { stageId: second, ...bytes, tags }],
      ["package.staged", "npm/demo@3.0.0", "ci", { stageId: third, ...bytes, tags }],
      [
        "package.published",
        "npm/demo@1.0.0",
        "alice",
        { ...bytes, integrity: expect.any(String), tags, stageId: first, stagedBy: "ci" },
      ],
      ["package.stage-rejected", "npm/demo@2.0.0", "alice", { stageId: second, stagedBy: "ci" }],
      ["package.stage-expired", "npm/demo@3.0.0", "system", { stageId: third, stagedBy: "ci" }],
    ]);
    expect(events[0]?.caller).toMatchObject(ci);
  });

  test("references only the bytes of staged versions", async () => {
    await using parts = await openTestParts(type);
    const { staging: npmStaging, recorder: npm, lifecycle: npmLifecycle } = parts.database.npm;
    const { port } = parts.connections;
    const count = async (table: string) =>
      (await port.all({ sql: `select * from ${table}` }, [])).length;
    await npm.publish(newNpmVersion({ seed: "shared" }), alice);
    const outcomes = [
      await npmStaging.stage(...staged({ version: "2.0.0", seed: "shared" }), ci),
      await npmStaging.stage(...staged({ version: "3.0.0" }), ci),
    ];
    expect([await count("blobs"), await count("staged_versions")]).toEqual([2, 2]);
    for (const outcome of outcomes) {
      if (outcome.status === "staged") await npmStaging.reject(outcome.id, alice);
    }
    expect([await count("blobs"), await count("staged_versions")]).toEqual([1, 0]);
    await npmLifecycle.unpublish("demo", { versions: "all", revision: 1 }, alice);
    expect(await count("blobs")).toBe(0);
  });
});

afterAll(leaveTestServers);
