import { auditConsumer } from "@sealhouse/events";
import type { ShownEvent } from "@sealhouse/events";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { leaveTestServers, openTestDatabase, testableDatabases } from "../testing/index.ts";

afterAll(leaveTestServers);

const AT = Date.parse("2026-03-01T12:00:00Z");

function refusal(fields: Partial<ShownEvent> = {}): ShownEvent {
  const detail = { action: "read", reason: "The token has expired; create a new one." };
  const caller = { actor: "ci", tokenId: "t1", address: "192.0.2.7" };
  return { type: "access.refused", subject: "npm/@acme/app", caller, detail, ...fields };
}

async function drain({ events: { outbox, audit } }: Database): Promise<void> {
  const pending = await outbox.pending("audit", 100);
  await auditConsumer(audit).handle(pending);
  await outbox.delivered(
    "audit",
    pending.map(({ id }) => id),
  );
}

async function recorded(database: Database): Promise<number> {
  await drain(database);
  const query = { types: ["access.refused"], order: "newest-first", limit: 100 } as const;
  return (await database.events.audit.read(query)).records.length;
}

describe.each(testableDatabases())("%s", (type) => {
  test("two instances write an equal refusal once a minute", async () => {
    let time = AT;
    await using database = await openTestDatabase({ type, now: () => new Date(time) });
    const { events } = database;
    const other = refusal({ subject: "npm/other" });
    await Promise.all(
      Array.from({ length: 6 }, () => events.recordRefusals([refusal(), other, refusal()])),
    );
    expect(await recorded(database)).toBe(2);
    time += 59_000;
    await events.recordRefusals([refusal(), refusal({ detail: { reason: "Another." } })]);
    expect(await recorded(database)).toBe(3);
    time += 2_000;
    await events.recordRefusals([refusal()]);
    expect(await recorded(database)).toBe(4);
  });
});
