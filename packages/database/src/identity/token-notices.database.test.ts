import { tokenNoticesJob } from "@sealhouse/events";
import { eventProblems } from "@sealhouse/events/schemas";
import { tokenRecord } from "@sealhouse/identity/testing";
import type { TokenRecord } from "@sealhouse/identity";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const by = { actor: "operator" };
const DAY_MS = 24 * 60 * 60_000;
const start = new Date("2026-03-01T00:00:00.123Z");
const onDay = (day: number) => new Date(start.getTime() + day * DAY_MS);
const signal = new AbortController().signal;
const token = (name: string, fields: Partial<TokenRecord> = {}) =>
  tokenRecord({ name, createdAt: start, expiresAt: onDay(30), ...fields });

describe.each(testableDatabases())("%s", (type) => {
  test("writes each notice once over two instances, for tokens that are still in use", async () => {
    let now = start;
    await using database = await openTestDatabase({ type, now: () => now });
    const { tokens, tokenNotices: notices, leases, events } = database;
    const laptop = token("laptop", { owner: "alice" });
    const account = token("account", { serviceAccountId: "a-1" });
    const [revoked, replaced] = [token("revoked"), token("replaced")];
    const forever = tokenRecord({ name: "forever", createdAt: start });
    const build = token("build", { policyId: "p-1" });
    for (const one of [laptop, account, revoked, replaced, forever, build])
      await tokens.insert(one, by);
    await tokens.revoke(revoked.id, start, by);
    const later = token("replaced", { expiresAt: onDay(90), replaces: replaced.id });
    await tokens.replace(replaced.id, later, by);
    const job = tokenNoticesJob({ notices, leases, now: () => now });
    for (const day of [22, 23, 24, 27, 30, 31]) {
      now = onDay(day);
      await Promise.all([job.run(signal), job.run(signal)]);
    }
    const noticed = (await events.outbox.pending("test", 1_000)).filter(
      (event) => event.type === "token.expires",
    );
    expect(noticed.flatMap(eventProblems)).toEqual([]);
    const expiresAt = onDay(30).toISOString();
    const about = ({ id }: TokenRecord) =>
      noticed.filter(({ subject }) => subject === `token/${id}`).map(({ detail }) => detail);
    expect(about(laptop)).toEqual(
      [7, 3, 0].map((days) => ({ name: "laptop", days, expiresAt, owner: "alice" })),
    );
    expect(about(account)).toEqual([7, 3, 0].map((days) => ({ name: "account", days, expiresAt })));
    expect(noticed).toHaveLength(6);
  });

  test("gives no notice about a token that another instance revoked or noticed", async () => {
    await using database = await openTestDatabase({ type });
    const { tokens, tokenNotices: notices } = database;
    const [one, other] = [token("one"), token("other")];
    for (const record of [one, other]) await tokens.insert(record, by);
    const window = { since: start, until: onDay(31) };
    const [first, second] = await notices.expiring(window);
    if (!first || !second) throw new Error("tokens are missing");
    const outcomes = await Promise.all([1, 2].map(() => notices.notice(first, 7)));
    expect(outcomes.filter((isFirst) => isFirst)).toHaveLength(1);
    await tokens.revoke(second.id, start, by);
    expect(await notices.notice(second, 7)).toBe(false);
    expect(await notices.notice({ ...first, expiresAt: onDay(29) }, 3)).toBe(false);
    expect(await notices.expiring(window)).toEqual([{ ...first, noticedDays: 7 }]);
  });
});

afterAll(leaveTestServers);
