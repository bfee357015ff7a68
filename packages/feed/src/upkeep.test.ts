import { openTestDatabase } from "@sealhouse/database/testing";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import { openUpkeep } from "./upkeep.ts";
import type { UpkeepParts } from "./upkeep.ts";

async function openParts() {
  const opened = new AsyncDisposableStack();
  const database = opened.use(await openTestDatabase());
  const signed = () => Promise.reject(new Error("no package is signed here"));
  const parts: UpkeepParts = {
    database,
    hashable: { signed, contentHash: async () => undefined },
    signingEnabled: false,
    jobs: [],
    now: () => new Date(),
    onDeliveryFailure: () => undefined,
    onJobFailure: () => undefined,
  };
  return { opened, database, parts };
}

test("events reach the audit log", async () => {
  const { opened, database, parts } = await openParts();
  await using _ = opened;
  {
    await using upkeep = openUpkeep(parts);
    expect(upkeep).toBeDefined();
    const caller = { actor: "test" };
    await database.events.record([{ type: "settings.changed", subject: "settings", caller }]);
    await expect
      .poll(async () =>
        (await database.events.audit.read({ order: "newest-first", limit: 10 })).records.map(
          ({ type }) => type,
        ),
      )
      .toEqual(["settings.changed"]);
  }
  expect(await database.events.outbox.pending("audit", 10)).toEqual([]);
});

test("packages from before and after the start reach the catalog", async () => {
  const { opened, database, parts } = await openParts();
  await using _ = opened;
  const publish = (version: string) =>
    database.nuget.recorder.record(newPackage({ id: "Acme", version }), testCaller);
  const versions = async () =>
    (await database.nuget.catalog.items(0, 10)).map(({ version }) => version);
  await publish("1.0.0");
  {
    await using upkeep = openUpkeep(parts);
    expect(upkeep).toBeDefined();
    await expect.poll(versions).toEqual(["1.0.0"]);
    await publish("2.0.0");
    await expect.poll(versions).toEqual(["1.0.0", "2.0.0"]);
  }
  {
    await using again = openUpkeep(parts);
    expect(again).toBeDefined();
    await publish("3.0.0");
    await expect.poll(versions).toEqual(["1.0.0", "2.0.0", "3.0.0"]);
  }
});
