import { afterAll, describe, expect, test } from "vitest";
import { defineStatement } from "../statements/statement.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

afterAll(leaveTestServers);

const caller = { actor: "ci" };
const DELIVERIES = defineStatement("test-deliveries", {}, (db) =>
  db.selectFrom("event_deliveries").select((row) => row.fn.countAll<number | string>().as("count")),
);

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

  test("keeps nothing for a consumer that no host has but what it could not handle", async () => {
    const clock = { ms: Date.parse("2026-01-01T00:00:00Z") };
    await using parts = await openTestParts(type, { now: () => new Date(clock.ms) });
    const { outbox, parked } = parts.database.events;
    const record = async (...subjects: readonly string[]) => {
      for (const subject of subjects) {
        await parts.database.events.record([{ type: "gc.completed", subject, caller }]);
      }
    };
    await record("1", "2", "3");
    const [first, second, third] = await outbox.pending("gone", 10);
    if (!first || !second || !third) throw new Error("there are no events");
    // It leaves behind an event that it had handled, and one that it could not handle.
    await outbox.delivered("gone", [second.id]);
    await parked.park("gone", first, { error: "no", nextAt: undefined });
    await outbox.delivered("audit", [first.id, second.id, third.id]);
    clock.ms += 11 * 60_000;
    expect(await outbox.trim([{ name: "audit" }])).toBe(3);
    const left = await parts.changes.transaction(({ queries }) => queries.one(DELIVERIES, {}));
    expect(Number(left?.count)).toBe(0);
    const [dead] = await parked.list({ dead: true, limit: 10 });
    expect(dead).toMatchObject({ consumer: "gone", event: { subject: "1" } });
    expect(await parked.remove(dead?.id ?? "")).toBe("removed");
    // When it comes back, it continues with what follows.
    await record("4");
    const next = (await outbox.pending("gone", 10)).map(({ subject }) => subject);
    expect(next).toEqual(["4"]);
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
