import { expect, test } from "vitest";
import { placesOf } from "./places.ts";
import type { ReleaseParts } from "./release-parts.ts";
import { createScriptedTarget, memberOf, openScripted } from "./scripted-target.test.support.ts";

const HOUR_MS = 60 * 60_000;

test("publishes all members, then moves the tags, then writes one event", async () => {
  const [one, two] = [createScriptedTarget("one"), createScriptedTarget("two")];
  const { open, run, found, releases } = openScripted([one, two]);
  await open();
  await run();
  expect(await found()).toMatchObject({ state: "released", number: 1 });
  for (const { versions, tags, sends } of [one, two]) {
    expect([...versions.keys()]).toEqual(["a@1.0.0", "b@1.0.0"]);
    expect([tags.get("latest"), sends]).toEqual(["1.0.0", 2]);
  }
  expect(releases.events).toEqual([
    {
      type: "group.promoted",
      subject: "group/web",
      caller: { actor: "alice" },
      detail: {
        release: "r1",
        number: 1,
        targets: ["one", "two"],
        members: ["a 1.0.0", "b 1.0.0"],
      },
    },
  ]);
});

test("a conflict at one target stops everything before the first byte", async () => {
  const good = createScriptedTarget("good");
  const bad = createScriptedTarget("bad");
  bad.versions.set("b@1.0.0", "other");
  const { open, run, found, releases } = openScripted([good, bad]);
  await open();
  await run();
  expect(await found()).toMatchObject({
    state: "failed",
    reason: "bad: b 1.0.0: has other content",
  });
  expect([good.sends, good.carried.size, bad.sends]).toEqual([0, 0, 0]);
  expect(releases.events.map(({ type }) => type)).toEqual(["promotion.failed"]);
});

test("a refusal before the pivot undoes the other targets", async () => {
  const [first, second] = [createScriptedTarget("first"), createScriptedTarget("second")];
  first.tags.set("latest", "0.9.0");
  second.answers.push({ status: "done" }, { status: "refused", reason: "no right" });
  const { open, run, found } = openScripted([first, second]);
  await open();
  await run();
  const { state, reason, items } = await found();
  expect([state, reason]).toEqual(["rolled-back", "second: b 1.0.0: no right"]);
  expect([...first.versions, ...second.versions]).toEqual([]);
  expect(first.tags.get("latest")).toBe("0.9.0");
  const states = items.map(({ state: item }) => item);
  expect(states).toEqual(["undone", "undone", "undone", "refused"]);
});

test("never takes back a version that was there before", async () => {
  const [first, second] = [createScriptedTarget("first"), createScriptedTarget("second")];
  const { received } = memberOf("a");
  first.versions.set("a@1.0.0", received.sha512);
  second.answers.push({ status: "refused", reason: "no right" });
  const { open, run, found } = openScripted([first, second]);
  await open();
  await run();
  expect((await found()).state).toBe("rolled-back");
  expect([...first.versions.keys()]).toEqual(["a@1.0.0"]);
});

test("after the pivot it only goes forward, and resumes by what the target has", async () => {
  const [undoable, final] = [
    createScriptedTarget("undoable"),
    createScriptedTarget("final", { isReversible: false }),
  ];
  final.answers.push({ status: "done" }, { status: "refused", reason: "quota exceeded" });
  const { open, run, found, releases, runToEnd } = openScripted([final, undoable]);
  await open();
  await run();
  const failed = await found();
  expect([failed.state, failed.reason]).toEqual(["failed", "final: b 1.0.0: quota exceeded"]);
  expect(failed.pivotAt).toBeDefined();
  // The targets where a publish can be undone came first, and nothing was undone.
  expect(undoable.versions.size).toBe(2);
  await releases.control.resume("r1", { actor: "bob" });
  expect((await runToEnd()).state).toBe("released");
  expect([final.sends, undoable.sends]).toEqual([2, 2]);
});

test("tries an unreachable target again, and ends a promotion after an hour", async () => {
  const [first, second] = [createScriptedTarget("first"), createScriptedTarget("second")];
  const away = { status: "failed", reason: "no answer", retryAfterMs: 30_000 } as const;
  second.answers.push(away);
  const passing = openScripted([first, second]);
  await passing.open();
  await passing.run();
  const waiting = await passing.found();
  expect(waiting).toMatchObject({ state: "publishing", reason: "second: a 1.0.0: no answer" });
  expect(waiting.nextAt?.getTime()).toBe(passing.clock.now + 30_000);
  expect((await passing.runToEnd()).state).toBe("released");

  const lasting = openScripted([createScriptedTarget("third", { check: away })]);
  await lasting.open();
  const { state, endedAt } = await lasting.runToEnd();
  expect(state).toBe("failed");
  expect((endedAt?.getTime() ?? 0) - Date.parse("2026-01-01")).toBeGreaterThan(HOUR_MS);
});

test("refused credentials pause the target once; the release continues later", async () => {
  const target = createScriptedTarget("prod");
  target.answers.push({ status: "unauthorized", reason: "token expired" });
  const { open, run, found, paused, probe, runToEnd, clock } = openScripted([target]);
  probe.status = "unauthorized";
  await open("syndication");
  await run();
  expect([...paused.keys()]).toEqual(["prod"]);
  expect((await found()).reason).toBe("The target prod refuses its credentials: token expired");
  clock.now += HOUR_MS;
  await run();
  expect(target.sends).toBe(0);
  paused.clear();
  expect((await runToEnd()).state).toBe("released");
  expect(target.sends).toBe(2);
});

test("a good key without the right to one package fails the item, not the target", async () => {
  const target = createScriptedTarget("prod");
  target.answers.push({ status: "unauthorized", reason: "not an owner" });
  const { open, run, found, paused } = openScripted([target]);
  await open();
  await run();
  expect(await found()).toMatchObject({
    state: "rolled-back",
    reason: "prod: a 1.0.0 is refused: not an owner",
  });
  expect(paused.size).toBe(0);
});

test("credentials that the key ring lost block the release until they are back", async () => {
  const target = createScriptedTarget("prod");
  const { open, run, found, lost, runToEnd } = openScripted([target]);
  lost.add("prod");
  await open();
  await run();
  expect((await found()).reason).toMatch(/^The credentials of the target prod cannot be decrypted/);
  lost.clear();
  expect((await runToEnd()).state).toBe("released");
});

test("a member that is deleted after the freeze stops the release", async () => {
  const target = createScriptedTarget("prod");
  const { open, run, found, withdrawn } = openScripted([target]);
  withdrawn.set("b", "it was deleted");
  await open();
  await run();
  expect(await found()).toMatchObject({
    state: "failed",
    reason: "b 1.0.0 was withdrawn: it was deleted",
  });
  expect(target.sends).toBe(0);
});

test("a version that the target shows late is polled, and fails after an hour", async () => {
  const target = createScriptedTarget("prod");
  target.answers.push({ status: "pending" });
  const shown = openScripted([target], { members: [memberOf("a")] });
  await shown.open();
  await shown.run();
  expect((await shown.found()).items).toMatchObject([{ state: "pending" }]);
  expect((await shown.runToEnd()).state).toBe("released");
  expect(target.sends).toBe(1);
});

test("two releases of a group exclude each other, and a repeated key finds the first", async () => {
  const { open, releases } = openScripted([createScriptedTarget("prod")]);
  const first = await open();
  expect(await open()).toMatchObject({ status: "repeated" });
  const other = {
    id: "r2",
    key: "k2",
    lane: "web",
    group: "web",
    kind: "promotion",
    targets: [],
  } as const;
  expect(await releases.rows.open(other, { actor: "bob" })).toEqual({ status: "busy", id: "r1" });
  expect(first.status).toBe("opened");
});

test("undoing leaves what others published in the meantime", async () => {
  const prod = createScriptedTarget("prod");
  const { open, runToEnd, releases } = openScripted([prod]);
  await open();
  prod.publisher.carry = async ({ member }) => {
    prod.versions.set(`${member.name}@${member.version}`, member.received.sha512);
    if (member.name === "b") await releases.control.cancel("r1", "wrong", { actor: "alice" });
    return { status: "done" };
  };
  expect((await runToEnd()).state).toBe("rolled-back");
  expect([...prod.versions.keys()]).toEqual(["a@1.0.0", "b@1.0.0"]);
});

test("undoes a release that an operator cancels during a publish", async () => {
  const target = createScriptedTarget("prod");
  const { open, run, found, releases } = openScripted([target]);
  const publish = target.publisher.publish.bind(target.publisher);
  target.publisher.publish = async (item, signal) => {
    await releases.control.cancel("r1", "The wrong version.", { actor: "bob" });
    return publish(item, signal);
  };
  await open();
  await run();
  expect(await found()).toMatchObject({ state: "rolled-back", reason: "The wrong version." });
  expect([target.versions.size, target.tags.size]).toEqual([0, 0]);
  const types = releases.events.map(({ type, caller }) => `${type} ${caller.actor}`);
  expect(new Set(types)).toEqual(new Set(["release.changed bob", "promotion.failed alice"]));
});

class Killed extends Error {}

/** Ports that stop the process before or after their `fatal`-th call. */
function killing(parts: ReleaseParts, fatal: number, isAfter: boolean): ReleaseParts {
  let calls = 0;
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(on, name, receiver): unknown {
        const value: unknown = Reflect.get(on, name, receiver);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]): Promise<unknown> => {
          calls += 1;
          if (calls > fatal) throw new Killed();
          if (calls === fatal && !isAfter) throw new Killed();
          const result: unknown = await Reflect.apply(value, on, args);
          if (calls === fatal) throw new Killed();
          return result;
        };
      },
    });
  const publisherOf: ReleaseParts["publisherOf"] = (to, id) => wrap(parts.publisherOf(to, id));
  return { ...parts, rows: wrap(parts.rows), publisherOf };
}

test.each([true, false])(
  "a kill at any call loses and repeats nothing; after it: %s",
  async (isAfter) => {
    let isKilled = true;
    for (let fatal = 1; isKilled; fatal++) {
      const targets = [
        createScriptedTarget("one"),
        createScriptedTarget("two", { isReversible: false }),
      ];
      const { parts, open, run, runToEnd } = openScripted(targets);
      await open();
      isKilled = await run(killing(parts, fatal, isAfter)).then(
        () => false,
        (error: unknown) => error instanceof Killed,
      );
      expect((await runToEnd()).state).toBe("released");
      for (const { sends, tags } of targets) {
        expect([fatal, sends, tags.get("latest")]).toEqual([fatal, 2, "1.0.0"]);
      }
    }
  },
);

test.each([
  ["in the check", "failed", true],
  ["in the check", "failed", false],
  ["of a publish", "rolled-back", true],
  ["of a publish", "rolled-back", false],
])("a kill at any call keeps a refusal %s: %s; after the call: %s", async (at, end, isAfter) => {
  let isKilled = true;
  for (let fatal = 1; isKilled; fatal++) {
    const targets = [createScriptedTarget("one"), createScriptedTarget("two")];
    const [one, two] = targets;
    if (at === "in the check") two?.versions.set("b@1.0.0", "other");
    // A target that is asked again refuses it again.
    else if (two) two.publisher.publish = async () => ({ status: "refused", reason: "no right" });
    const { parts, open, run, runToEnd } = openScripted(targets);
    await open();
    isKilled = await run(killing(parts, fatal, isAfter)).then(
      () => false,
      (error: unknown) => error instanceof Killed,
    );
    const { state, reason } = await runToEnd();
    expect([fatal, state]).toEqual([fatal, end]);
    expect(reason).toMatch(/^two: (?:a|b) 1\.0\.0: (?:has other content|no right)/);
    expect([fatal, one?.versions.size, two?.versions.has("a@1.0.0")]).toEqual([fatal, 0, false]);
  }
});

test("undoing has its own day of attempts, then lists the stuck items", async () => {
  const [first, second] = [createScriptedTarget("first"), createScriptedTarget("second")];
  second.answers.push({ status: "refused", reason: "no right" });
  const away = { status: "failed", reason: "no answer" } as const;
  first.publisher.undo = async () => away;
  const { open, runToEnd, clock } = openScripted([first, second], { members: [memberOf("a")] });
  const begin = clock.now;
  await open();
  const { state, items, endedAt } = await runToEnd();
  expect([state, items.map((item) => item.state)]).toEqual(["rolled-back", ["stuck", "refused"]]);
  expect((endedAt?.getTime() ?? 0) - begin).toBeGreaterThan(24 * HOUR_MS);
});

test("waits for the approval of a staged version, which is the pivot", async () => {
  const [staging, other] = [createScriptedTarget("staging"), createScriptedTarget("other")];
  let isApproved = false;
  const { versions } = staging;
  Object.assign(staging.publisher, {
    isFinal: true,
    carry: async () => ({ status: "awaiting-approval", stageId: "s1", remark: "waits" }),
    look: async () => ({ status: isApproved ? "same" : "absent" }),
  });
  const { open, run, found, runToEnd, clock } = openScripted([staging, other], {
    members: [memberOf("a")],
  });
  await open();
  await run();
  expect(await found()).toMatchObject({ state: "publishing" });
  expect((await found()).items[0]).toMatchObject({ state: "awaiting-approval", stageId: "s1" });
  clock.now += 48 * HOUR_MS;
  await run();
  expect((await found()).pivotAt).toBeUndefined();
  isApproved = true;
  versions.set("a@1.0.0", memberOf("a").received.sha512);
  const { state, pivotAt } = await runToEnd();
  expect([state, pivotAt]).toEqual(["released", expect.any(Date)]);
  expect(staging.sends).toBe(0);
});

test("a rejected staged version undoes the release", async () => {
  const [staging, other] = [createScriptedTarget("staging"), createScriptedTarget("other")];
  Object.assign(staging.publisher, {
    carry: async () => ({ status: "awaiting-approval", stageId: "s1", remark: "waits" }),
    look: async () => ({ status: "refused", reason: "its approval was rejected" }),
  });
  const { open, run, found } = openScripted([staging, other], { members: [memberOf("a")] });
  await open();
  await run();
  expect((await found()).state).toBe("rolled-back");
  expect(other.versions.size).toBe(0);
});

test("waits while another release publishes the same package to the same target", async () => {
  const target = createScriptedTarget("prod");
  const { open, run, found, releases, clock, runToEnd } = openScripted([target]);
  await releases.lanes.claim("r0", placesOf([{ target: "PROD", member: memberOf("b") }]));
  await open();
  await run();
  const waiting = await found();
  expect([waiting.state, target.sends]).toEqual(["frozen", 0]);
  expect(waiting.reason).toContain("The release r0 publishes the same packages");
  expect(waiting.nextAt?.getTime()).toBeGreaterThan(clock.now);
  const other = { id: "r0", key: "k0", lane: "l0", group: "live", targets: [] };
  await releases.rows.open({ ...other, kind: "syndication" }, { actor: "alice" });
  await releases.rows.move("r0", { from: "open", state: "released" });
  expect((await runToEnd()).state).toBe("released");
});

test("signs how a release ended, when it had a statement", async () => {
  const [good, bad] = [createScriptedTarget("good"), createScriptedTarget("bad")];
  const released = openScripted([good]);
  await released.open();
  await released.run();
  const outcome = await released.releases.statements.outcome("r1");
  const states = ["pointed", "pointed"];
  expect(outcome?.statement).toBe(JSON.stringify({ state: "released", states }));

  bad.answers.push({ status: "refused", reason: "no right" });
  const undone = openScripted([bad]);
  await undone.open();
  await undone.run();
  const ended = await undone.releases.statements.outcome("r1");
  expect(ended?.statement).toContain('"state":"rolled-back"');

  const unsent = openScripted([createScriptedTarget("c", { check: NO_RIGHT })]);
  await unsent.open();
  await unsent.run();
  expect(await unsent.releases.statements.outcome("r1")).toBeUndefined();
});

const NO_RIGHT = { status: "refused", reason: "no right" } as const;

test("a published release waits a day for its signer, then ends without its outcome", async () => {
  const target = createScriptedTarget("prod");
  const { open, runToEnd, parts, releases, run, found, clock } = openScripted([target]);
  const signOutcome = async () => {
    throw new Error("the key service is away");
  };
  await open("syndication");
  const away: ReleaseParts = { ...parts, signOutcome };
  await run(away);
  const waiting = await found();
  expect([waiting.state, waiting.reason]).toEqual([
    "pointing",
    expect.stringContaining("the key service is away"),
  ]);
  clock.now += 25 * HOUR_MS;
  await run(away);
  expect((await runToEnd()).state).toBe("released");
  expect(await releases.statements.outcome("r1")).toBeUndefined();
});

test("the pivot and the patience after it begin when the pass before has ended", async () => {
  const [first, final] = [
    createScriptedTarget("a"),
    createScriptedTarget("b", { isReversible: false }),
  ];
  const { open, runToEnd, clock } = openScripted([first, final], { members: [memberOf("a")] });
  const publish = first.publisher.publish.bind(first.publisher);
  first.publisher.publish = async (...sent) => {
    clock.now += HOUR_MS;
    return publish(...sent);
  };
  const begin = clock.now;
  await open();
  const { state, pivotAt } = await runToEnd();
  expect(state).toBe("released");
  expect(pivotAt?.getTime()).toBeGreaterThanOrEqual(begin + HOUR_MS);
});
