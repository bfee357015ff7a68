import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { openKeyRing } from "../key-ring/key-ring.ts";
import type { MembershipCheck } from "../sign-in/provider.ts";
import { createMemoryPeople, newArrival } from "../testing/index.ts";
import { GRANT_PURPOSE } from "./grant-purpose.ts";
import type { Role } from "./person.ts";
import { openRevalidation } from "./membership-job.ts";

/** As `newArrival` has it. */
const ISSUER = "https://idp.example";
const HOUR_MS = 60 * 60_000;
const start = new Date("2026-03-01T00:00:00Z");
const grant = Buffer.from("grant");
const member: MembershipCheck = { outcome: "member", groups: [] };
const silence = () => Promise.reject(new Error("The provider did not answer."));

/** Two instances over one store; their provider answers with `check`. */
async function setUp(check?: (grant: Uint8Array) => Promise<MembershipCheck>) {
  const clock = { now: start };
  const now = () => clock.now;
  const keyRing = await openKeyRing({ random: randomBytes, now });
  const ports = createMemoryPeople(now);
  const asked = vi.fn(check ?? silence);
  const log = { info: vi.fn(), warn: vi.fn() };
  const open = () =>
    openRevalidation({
      provider: check && { check: asked, issuer: ISSUER },
      checks: ports.membershipChecks,
      keyRing,
      revalidateMs: HOUR_MS,
      now,
      log,
    });
  const arrive = async (subject: string, hasGrant = true, issuer = ISSUER, role?: Role) => {
    const sealedGrant = keyRing.protect(GRANT_PURPOSE, grant);
    const arrival = newArrival(
      { subject, issuer, ...(role && { role }) },
      { at: now(), ...(hasGrant && { sealedGrant }) },
    );
    return (await ports.people.arrive(arrival)).person;
  };
  const stateOf = async (id: string) => (await ports.people.find(id))?.state;
  const instances = [open(), open()] as const;
  const run = async () => {
    const { signal } = new AbortController();
    await Promise.all(instances.map(({ job }) => job.run(signal)));
  };
  const after = (hours: number) => {
    clock.now = new Date(start.getTime() + hours * HOUR_MS);
  };
  return { people: ports.people, asked, log, arrive, stateOf, instances, open, run, after };
}

test("checks each due user once over all instances, with its grant", async () => {
  const { asked, arrive, run, after, people } = await setUp(async () => member);
  const users = await Promise.all(["1", "2", "3"].map((subject) => arrive(subject)));
  await run();
  expect(asked).not.toHaveBeenCalled();
  after(1.1);
  await run();
  expect(asked.mock.calls.map(([given]) => Buffer.from(given))).toEqual([grant, grant, grant]);
  expect((await people.find(users[0]?.id ?? ""))?.validatedAt?.getTime()).toBe(
    start.getTime() + 1.1 * HOUR_MS,
  );
  await run();
  expect(asked).toHaveBeenCalledTimes(3);
});

test("uses the newest grant that the provider gave", async () => {
  const fresh = Buffer.from("fresh");
  const { asked, arrive, run, after } = await setUp(async () => ({ ...member, grant: fresh }));
  await arrive("1");
  for (const hours of [1.1, 2.2]) {
    after(hours);
    await run();
  }
  expect(asked.mock.calls.map(([given]) => Buffer.from(given))).toEqual([grant, fresh]);
});

test("suspends who is gone, and who has no grant", async () => {
  const { asked, arrive, run, after, people } = await setUp(async () => ({
    outcome: "gone",
    reason: "She left.",
  }));
  const [gone, unproven] = [await arrive("1"), await arrive("2", false)];
  after(1.1);
  await run();
  expect(asked).toHaveBeenCalledTimes(1);
  expect(await people.find(gone.id)).toMatchObject({ state: "suspended", reason: "She left." });
  expect(await people.find(unproven.id)).toMatchObject({
    state: "suspended",
    reason: expect.stringContaining("Sign in again.") as string,
  });
});

test("waits for a silent provider until twice the interval, and asks it again", async () => {
  const { asked, arrive, run, after, stateOf, people } = await setUp(silence);
  const { id } = await arrive("1");
  for (const hours of [1.1, 1.2, 1.5, 1.9]) {
    after(hours);
    await run();
    expect(await stateOf(id)).toBe("active");
  }
  // The second time is within the quarter of the interval after the first.
  expect(asked).toHaveBeenCalledTimes(3);
  after(2.2);
  await run();
  expect(await people.find(id)).toMatchObject({
    state: "suspended",
    reason: expect.stringContaining(`since ${start.toISOString()}`) as string,
  });
});

test("a start without a provider suspends no user before twice the interval", async () => {
  const { arrive, open, after, stateOf } = await setUp(undefined);
  const { id } = await arrive("1");
  after(50);
  const { job } = open();
  const { signal } = new AbortController();
  for (const [hours, state] of [
    [50.1, "active"],
    [51.9, "active"],
    [52.1, "suspended"],
  ] as const) {
    after(hours);
    await job.run(signal);
    expect(await stateOf(id), `after ${hours} hours`).toBe(state);
  }
});

test("never sends the grant of one provider to another one", async () => {
  const { asked, arrive, stateOf, run, after, log } = await setUp(async () => member);
  const { id } = await arrive("1", true, "https://former.example");
  after(1.1);
  await run();
  expect(await stateOf(id)).toBe("active");
  expect(log.warn.mock.calls).toMatchObject([[{ userId: id }, /will retry/]]);
  after(2.2);
  await run();
  expect(await stateOf(id)).toBe("suspended");
  expect(asked).not.toHaveBeenCalled();
});

test("the use of tokens checks at most eight users at the same time", async () => {
  const running = { now: 0, most: 0 };
  const { asked, arrive, after, instances } = await setUp(async () => {
    running.most = Math.max(running.most, ++running.now);
    await new Promise((done) => setImmediate(done));
    running.now--;
    return member;
  });
  const subjects = Array.from({ length: 20 }, (_, index) => String(index));
  const users = await Promise.all(subjects.map((subject) => arrive(subject)));
  after(1.1);
  const [first] = instances;
  for (const { id } of users) first.noteUse(id);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(20));
  await first[Symbol.asyncDispose]();
  expect(running.most).toBe(8);
});

test("the use of a token queues the check of its user, at most once a minute", async () => {
  const { asked, arrive, after, instances } = await setUp(async () => member);
  const [one, two] = [await arrive("1"), await arrive("2")];
  const [first, second] = instances;
  first.noteUse(one.id);
  after(1.1);
  for (const { noteUse } of instances) for (let count = 0; count < 9; count++) noteUse(one.id);
  await Promise.all([first, second].map((instance) => instance[Symbol.asyncDispose]()));
  expect(asked).toHaveBeenCalledTimes(1);
  second.noteUse(two.id);
  expect(asked).toHaveBeenCalledTimes(1);
});

test("the queue checks a user again after a failed check", async () => {
  const { log, arrive, after, instances, asked } = await setUp(async () => member);
  const { id } = await arrive("1");
  const [first] = instances;
  after(1.1);
  asked.mockRejectedValueOnce(new Error("down"));
  first.noteUse(id);
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
  after(1.5);
  first.noteUse(id);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
});

test("without a provider, only users whose role was set by hand stay", async () => {
  const { people, asked, arrive, stateOf, run, after } = await setUp();
  const [one, kept] = [await arrive("1"), await arrive("2")];
  await people.setRole(kept.id, "publisher", { actor: "system" });
  const states = async () => [await stateOf(one.id), await stateOf(kept.id)];
  after(1.9);
  await run();
  expect(await states()).toEqual(["active", "active"]);
  after(2.1);
  await run();
  expect(await states()).toEqual(["suspended", "active"]);
  expect(asked).not.toHaveBeenCalled();
});

test("warns when the last administrator loses the access or the role", async () => {
  const answers: MembershipCheck[] = [
    { outcome: "gone", reason: "She left." },
    { outcome: "member", role: "publisher", groups: [] },
  ];
  const { log, arrive, run, after } = await setUp(async () => answers.pop() ?? member);
  for (const subject of ["1", "2"]) await arrive(subject, true, ISSUER, "administrator");
  const warnings = () =>
    log.warn.mock.calls.filter(([, message]) => /no active administrator/.test(String(message)));
  after(1.1);
  await run();
  expect(warnings()).toHaveLength(1);
});
