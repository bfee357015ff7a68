import { queueMail } from "@sealhouse/events";
import { sessionRecord } from "@sealhouse/identity/testing";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const HOUR_MS = 60 * 60_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const HASH = "a".repeat(64);
const BACK = Date.parse("2026-01-01T00:00:00Z");
const AHEAD = BACK + 48 * HOUR_MS;
const SESSION = {
  id: "upload",
  repository: parseRepositoryName("team/app"),
  owner: "ci",
  offset: 0,
};

afterAll(leaveTestServers);

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

  test("sessions and codes of a clock ahead end once the clock is right", async () => {
    const clock = { ms: AHEAD };
    const now = () => new Date(clock.ms);
    await using database = await openTestDatabase({ type, now });
    const { futureTimes, loginSessions, passkeys, sessions } = database;
    const inMinutes = new Date(AHEAD + 10 * 60_000);
    const created = { createdAt: now(), rotatedAt: now(), seenAt: now() };
    const ends = { idleEndsAt: new Date(AHEAD + 12 * HOUR_MS), endsAt: new Date(AHEAD + WEEK_MS) };
    const session = sessionRecord({ ...created, ...ends });
    await sessions.open(session, { by: { actor: "ada" }, method: "github" });
    const rotation = { to: "b".repeat(64), at: now(), graceUntil: new Date(AHEAD + 60_000) };
    expect(await sessions.rotate(session.hash, rotation)).toBe(true);
    const short = { createdAt: now(), expiresAt: inMinutes };
    const code = "BBBB-BBBB";
    const login = { ...short, purpose: "login", code, pollHash: "c".repeat(64) } as const;
    await loginSessions.insert(login);
    const scope = { sessionHash: rotation.to, userId: "u" };
    const challenge = { ...scope, purpose: "register", hash: HASH } as const;
    await passkeys.challenges.add({ ...challenge, ...short });
    const form = { action: "change-sources", subject: "s", path: "/", backPath: "/" } as const;
    const sealedForm = new Uint8Array([1]);
    const confirmation = { ...form, ...short, sealedForm, hash: HASH, sessionHash: rotation.to };
    await sessions.confirmations.add(confirmation, 10);

    clock.ms = BACK;
    expect(await futureTimes.correct(now())).toBe(6);
    const stored = await sessions.find(rotation.to);
    expect(stored).toMatchObject({ endsAt: now(), idleEndsAt: now(), previousEndsAt: now() });
    expect((await loginSessions.findByCode(code))?.expiresAt).toEqual(now());
    expect((await sessions.confirmations.find(HASH))?.expiresAt).toEqual(now());
    expect(await passkeys.challenges.take({ ...challenge, at: now() })).toBe(false);
    expect(await futureTimes.correct(now())).toBe(0);
  });

  test("waits that the program writes itself stay", async () => {
    const now = () => new Date(BACK);
    await using database = await openTestDatabase({ type, now });
    await database.oci.uploads.create(SESSION, { writer: "alive", leaseMs: 60_000 });
    await database.upstream.states.note("npm", { pausedUntil: new Date(BACK + 5 * 60_000) });
    const ends = { idleEndsAt: new Date(BACK + 12 * HOUR_MS), endsAt: new Date(BACK + WEEK_MS) };
    const session = sessionRecord({ createdAt: now(), ...ends });
    await database.sessions.open(session, { by: { actor: "ada" }, method: "github" });
    expect(await database.futureTimes.correct(now())).toBe(0);
    expect(await database.oci.uploads.claim(SESSION.id, "next", 60_000)).toBe(false);
    expect(await database.sessions.find(session.hash)).toMatchObject(ends);
  });
});
