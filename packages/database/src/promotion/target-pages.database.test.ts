import type { NewRelease, TargetRow } from "@sealhouse/promotion";
import { afterAll, describe, expect, test } from "vitest";
import { leaveTestServers, openTestDatabase, testableDatabases } from "../testing/index.ts";

afterAll(leaveTestServers);

const CALLER = { actor: "tester" };
const NOW = new Date("2026-03-01T10:00:00Z");
const END = new Date("2026-03-01T11:00:00Z");

function row(name: string): TargetRow {
  return { name, protocol: "npm", endpoint: "https://npm.example/", options: "{}" };
}

function release(id: string, targets: readonly string[]): NewRelease {
  const parts = { key: id, lane: id, group: id, kind: "promotion" } as const;
  return { id, ...parts, targets, items: [] };
}

describe.each(testableDatabases())("%s", (type) => {
  test("reads targets by pages and names, without regard to letter case", async () => {
    await using database = await openTestDatabase({ type, now: () => NOW });
    const { targets } = database.promotion;
    for (const name of ["Prod", "audit", "zone"]) await targets.put(row(name), CALLER);
    const names = async (after: string | undefined, limit: number) =>
      (await targets.list({ after, limit })).map(({ name }) => name);
    expect(await names(undefined, 2)).toEqual(["audit", "Prod"]);
    expect(await names("PROD", 2)).toEqual(["zone"]);
    expect(await targets.find("pROD")).toEqual(row("Prod"));
    expect(await targets.find("other")).toBeUndefined();
  });

  test("keeps the last success of a target, and no running release loses its target", async () => {
    await using database = await openTestDatabase({ type, now: () => NOW });
    const { targets, releases } = database.promotion;
    for (const name of ["Prod", "other"]) await targets.put(row(name), CALLER);
    await releases.open(release("r1", ["prod"]), CALLER);
    expect(await targets.remove("Prod", CALLER)).toBe("running");
    await releases.move("r1", { from: "frozen", state: "released", endedAt: END });
    const found = await targets.find("prod");
    expect(found?.lastSuccessAt).toEqual(END);
    await targets.pause("prod", "moved", CALLER);
    expect((await targets.find("prod"))?.lastSuccessAt).toEqual(END);
    await releases.open(release("r2", ["other"]), CALLER);
    await releases.move("r2", { from: "frozen", state: "failed", endedAt: END });
    expect((await targets.find("other"))?.lastSuccessAt).toBeUndefined();
    // Another address has had no success.
    await targets.put(row("Prod"), CALLER);
    expect((await targets.find("prod"))?.lastSuccessAt).toBeUndefined();
    expect(await targets.remove("Prod", CALLER)).toBe("removed");
  });
});
