import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import { leasesContract } from "@sealhouse/jobs/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, stopTestCluster, testableDatabases } from "./testing/index.ts";

afterAll(stopTestCluster);

const caller = { actor: "system" };
const HOUR_MS = 3_600_000;

describe.each(testableDatabases())("leases in %s", (type) => {
  const openClocked = async () => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    const database = await openTestDatabase({ type, now: () => new Date(clock.ms) });
    return { clock, database };
  };

  test.each(leasesContract)("$name", async ({ run }) => {
    const { clock, database } = await openClocked();
    await using _ = database;
    await run({ leases: database.leases, pass: (ms) => void (clock.ms += ms) });
  });

  test("every kind of transaction fails after another holder took the lease", async () => {
    const { clock, database } = await openClocked();
    await using _ = database;
    const publish = (version: string) =>
      database.nuget.recorder.record(newPackage({ id: "Acme", version }), caller);
    const options = { name: "job", leaseMs: HOUR_MS };
    await runLeased(database.leases, options, async () => {
      await publish("1.0.0");
      clock.ms += HOUR_MS;
      expect(await database.leases.acquire("job", "another", HOUR_MS)).toBe(2);
      await expect(publish("2.0.0")).rejects.toThrow(LostLeaseError);
      const deleted = database.nuget.lifecycle.delete("Acme", "1.0.0", caller);
      await expect(deleted).rejects.toThrow(LostLeaseError);
      const recorded = database.events.record([{ type: "gc.completed", subject: "x", caller }]);
      await expect(recorded).rejects.toThrow(LostLeaseError);
    });
    const versions = await database.nuget.lookup.versions("acme");
    expect(versions.map(({ version }) => version)).toEqual(["1.0.0"]);
    // Outside of the leased work nothing is compared.
    await publish("3.0.0");
  });
});
