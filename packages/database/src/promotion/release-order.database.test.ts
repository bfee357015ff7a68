import { createTestToken } from "@sealhouse/identity/testing";
import type { NewRelease, ReleaseItem } from "@sealhouse/promotion";
import { afterAll, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

afterAll(leaveTestServers);

const CALLER = { actor: "tester" };
const NOW = new Date("2026-01-01T00:00:00Z");

function upload(version: string): NewRelease {
  const received = { sha256: "", sha512: "" };
  const member = { name: "bar", version, size: 1, mediaType: "", received, tags: [] };
  const item: ReleaseItem = {
    id: `${version}/1`,
    target: "prod",
    member: { protocol: "npm", ...member },
    state: "ready",
    wasThere: false,
    attempts: 0,
  };
  const parts = { lane: "bar at prod", group: "bars", targets: ["prod"] } as const;
  return { id: version, key: version, kind: "syndication", ...parts, items: [item] };
}

test.each(testableDatabases())("%s keeps the order of uploads of one moment", async (type) => {
  await using database = await openTestDatabase({ type, now: () => NOW });
  const { releases } = database.promotion;
  // The ids tell nothing about the order.
  const versions = ["2.0.0", "1.0.0", "3.0.0"];
  for (const version of versions) await releases.open(upload(version), CALLER);
  for (const version of versions) {
    expect(await releases.due(NOW)).toEqual([version]);
    await releases.move(version, { from: "frozen", state: "released", endedAt: NOW });
  }
});

test.each(testableDatabases())("%s saves the items of a transaction together", async (type) => {
  await using database = await openTestDatabase({ type, now: () => NOW });
  const { releases } = database.promotion;
  const opened = upload("1.0.0");
  const [first] = opened.items ?? [];
  if (!first) throw new Error("the upload has no item");
  const second = { ...first, id: "1.0.0/2", target: "other" };
  await releases.open({ ...opened, items: [first, second] }, CALLER);
  const sent = [first, second].map((item) => ({ ...item, state: "sending" as const }));
  const tags = {};
  const toJSON = () => {
    throw new Error("it cannot be written");
  };
  const broken = { ...second, before: { tags, toJSON } };
  const saves = releases.saveItems("1.0.0", [...sent.slice(0, 1), broken]);
  await expect(saves).rejects.toThrow("it cannot be written");
  expect((await releases.find("1.0.0"))?.items).toEqual([first, second]);
  await releases.saveItems("1.0.0", sent);
  expect((await releases.find("1.0.0"))?.items).toEqual(sent);
});

test.each(testableDatabases())("%s ends a release whose token has ended before", async (type) => {
  await using database = await openTestDatabase({ type, now: () => NOW });
  const { record } = createTestToken();
  await database.tokens.insert(record, CALLER);
  const asker = { actor: "ci", tokenId: record.id, needs: undefined };
  const { releases, control } = database.promotion;
  await releases.open(upload("1.0.0"), asker);
  await database.tokens.revoke(record.id, NOW, CALLER);
  await expect(control.cancel("1.0.0", "late", asker)).rejects.toMatchObject({
    name: "TokenEndedError",
  });
  const caller = { actor: asker.actor, tokenId: asker.tokenId };
  const event = { type: "promotion.failed", subject: "group/bars", caller } as const;
  await releases.move("1.0.0", { from: "frozen", state: "failed", endedAt: NOW, event });
  expect(await releases.find("1.0.0")).toMatchObject({ state: "failed" });
  const events = await database.events.outbox.pending("test", 100);
  expect(events.at(-1)).toMatchObject(event);
});
