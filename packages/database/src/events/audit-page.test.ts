import { auditRecords } from "@sealhouse/events";
import { expect, test } from "vitest";
import { openTestDatabase } from "../testing/open-test-database.ts";

test("a page without an index looks at some rows, and the next pages at the rest", async () => {
  await using database = await openTestDatabase();
  const { audit } = database.events;
  const events = Array.from({ length: 5_100 }, (_, index) => ({
    id: String(index + 1),
    type: index % 3 === 0 ? ("package.published" as const) : ("package.tagged" as const),
    subject: `npm/p${index % 3_000}`,
    caller: { actor: "ci", address: index % 2_000 === 7 ? "192.0.2.7" : "192.0.2.1" },
    // Many at the same time.
    at: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 100)),
  }));
  await audit.append(events);
  const order = "newest-first";
  const first = await audit.read({ order, limit: 10, address: "192.0.2.7" });
  expect(first.records.map(({ id }) => id)).toEqual(["4008", "2008"]);
  expect(first.next).toBeDefined();
  const idsOf = async (filter: object) => {
    const ids: string[] = [];
    for await (const { id } of auditRecords(audit, { order, ...filter })) ids.push(id);
    return ids;
  };
  expect(await idsOf({ address: "192.0.2.7" })).toEqual(["4008", "2008", "8"]);
  expect(await idsOf({ actor: "ci", types: ["package.published"], subject: "npm/*" })).toEqual(
    events
      .filter(({ type }) => type === "package.published")
      .map(({ id }) => id)
      .toReversed(),
  );
  const types = ["package.published", "package.tagged"] as const;
  expect(await idsOf({ types, address: "192.0.2.7" })).toEqual(["4008", "2008", "8"]);
});
