import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, stopTestCluster, testableDatabases } from "../testing/index.ts";

afterAll(stopTestCluster);

const caller = { actor: "ci" };

describe.each(testableDatabases())("the outbox in %s", (type) => {
  test("deletes delivered events and reuses no id", async () => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    await using database = await openTestDatabase({ type, now: () => new Date(clock.ms) });
    const { events } = database;
    const { outbox } = events;
    const happen = () => events.record([{ type: "gc.completed", subject: "oci", caller }]);
    const idsFor = async (consumer: string) =>
      (await outbox.pending(consumer, 10)).map(({ id }) => id);
    await happen();
    await happen();
    const first = await idsFor("audit");
    await outbox.delivered("audit", first);
    // Longer than any transaction, so no lower id can appear.
    clock.ms += 11 * 60_000;
    expect(await outbox.trim([{ name: "audit" }, { name: "webhooks" }])).toBe(0);
    await outbox.delivered("webhooks", first);
    clock.ms += 11 * 60_000;
    expect(await outbox.trim([{ name: "audit" }, { name: "webhooks" }])).toBe(2);
    expect(await idsFor("a new consumer")).toEqual([]);
    await happen();
    const [third] = await idsFor("audit");
    expect(Number(third)).toBeGreaterThan(Number(first.at(-1)));
  });

  test("keeps an event until all consumers have it, and all later ones", async () => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    await using database = await openTestDatabase({ type, now: () => new Date(clock.ms) });
    const { events } = database;
    const { outbox } = events;
    for (const subject of ["1", "2", "3"])
      await events.record([{ type: "gc.completed", subject, caller }]);
    const [one = "", two = "", three = ""] = (await outbox.pending("audit", 10)).map(
      ({ id }) => id,
    );
    await outbox.delivered("audit", [one, three]);
    clock.ms += 11 * 60_000;
    expect(await outbox.trim([{ name: "audit" }])).toBe(1);
    expect((await outbox.pending("audit", 10)).map(({ id }) => id)).toEqual([two]);
    await outbox.delivered("audit", [two]);
    clock.ms += 11 * 60_000;
    expect(await outbox.trim([{ name: "audit" }])).toBe(2);
  });
});
