import { queueMail } from "@sealhouse/events";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, stopTestCluster, testableDatabases } from "../testing/index.ts";

const HOUR_MS = 60 * 60_000;
const BACK = Date.parse("2026-01-01T00:00:00Z");
const AHEAD = BACK + 48 * HOUR_MS;
const SESSION = {
  id: "upload",
  repository: parseRepositoryName("team/app"),
  owner: "ci",
  offset: 0,
};

afterAll(stopTestCluster);

describe.each(testableDatabases())("%s", (type) => {
  test("work that a clock ahead of the time put off is due once the clock is right", async () => {
    const clock = { ms: AHEAD };
    const now = () => new Date(clock.ms);
    await using database = await openTestDatabase({ type, now });
    const { futureTimes, oci, signInFailures, upstream } = database;
    const { mails, outbox, parked } = database.events;
    await oci.uploads.create(SESSION, { writer: "killed", leaseMs: 60_000 });
    const failure = { stepMs: 2_000, windowMs: 2_000 };
    await signInFailures.add("192.0.2.1", { ...failure, now: clock.ms });
    const pausedUntil = new Date(AHEAD + 60_000);
    await upstream.states.note("nuget.org", { pausedUntil });
    const to = { queue: mails, serverName: "Feed", administrators: ["a@acme.example"] };
    await queueMail(to, "damage-found", { cause: "test", facts: {} });
    const caller = { actor: "system" };
    await database.events.record([{ type: "package.unlisted", subject: "nuget/A@1", caller }]);
    const [event] = await outbox.pending("test", 1);
    if (!event) throw new Error("the event was not written");
    await parked.park("test", event, { error: "no", nextAt: now() });

    clock.ms = BACK;
    expect(await mails.due(now(), 10)).toEqual([]);
    expect(await oci.uploads.claim(SESSION.id, "next", 60_000)).toBe(false);

    expect(await signInFailures.add("192.0.2.1", { ...failure, now: BACK })).toBe("full");

    expect(await futureTimes.correct(now())).toBe(5);
    expect(await signInFailures.add("192.0.2.1", { ...failure, now: BACK })).toBe("added");
    expect(await mails.due(now(), 10)).toHaveLength(1);
    expect(await oci.uploads.claim(SESSION.id, "next", 60_000)).toBe(true);
    expect((await parked.waiting("test", 1)).map(({ nextAt }) => nextAt)).toEqual([now()]);
    const states = await upstream.states.all();
    expect(states.get("nuget.org")?.pausedUntil).toEqual(now());
    expect(await futureTimes.correct(now())).toBe(0);
  });

  test("waits that the program writes itself stay", async () => {
    const now = () => new Date(BACK);
    await using database = await openTestDatabase({ type, now });
    await database.oci.uploads.create(SESSION, { writer: "alive", leaseMs: 60_000 });
    await database.upstream.states.note("npm", { pausedUntil: new Date(BACK + 5 * 60_000) });
    expect(await database.futureTimes.correct(now())).toBe(0);
    expect(await database.oci.uploads.claim(SESSION.id, "next", 60_000)).toBe(false);
  });
});
