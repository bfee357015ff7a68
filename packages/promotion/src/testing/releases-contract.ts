import assert from "node:assert/strict";
import type { Caller } from "@sealhouse/request-types";
import type { LentKeyRows } from "../lending/ports.ts";
import type {
  NewRelease,
  ReleaseControl,
  ReleaseLanes,
  ReleaseRows,
  StatementRows,
} from "../release/ports.ts";
import type { ReleaseItem } from "../model/release.ts";

/** The rows of releases. */
export type ReleasePorts = {
  readonly releases: ReleaseRows;
  readonly control: ReleaseControl;
  readonly statements: StatementRows;
  readonly lentKeys: LentKeyRows;
  readonly lanes: ReleaseLanes;
};

export type ReleasePortsTest = {
  readonly name: string;
  readonly run: (ports: ReleasePorts) => Promise<void>;
};

const caller: Caller = { actor: "ada" };
const LATER = new Date("2126-03-01T10:00:00.123Z");
const ITEM: ReleaseItem = {
  id: "first/1",
  target: "prod",
  member: {
    protocol: "npm",
    name: "@acme/bar",
    version: "1.0.0",
    size: 12,
    mediaType: "application/gzip",
    received: { sha256: "a".repeat(64), sha512: "b".repeat(128) },
    tags: ["latest"],
  },
  state: "ready",
  wasThere: false,
  attempts: 0,
};

function release(id: string, change: Partial<NewRelease> = {}): NewRelease {
  const parts = { group: "Web", kind: "promotion", targets: ["prod"], lane: "web" } as const;
  return { id, key: `key-${id}`, ...parts, ...change };
}

/** Every implementation of the rows of releases must pass. */
export const releasePortsContract: readonly ReleasePortsTest[] = [
  {
    name: "a repeated request finds the release, and another one of the group is busy",
    async run({ releases }) {
      const opened = await releases.open(release("first"), caller);
      assert.ok(opened.status === "opened");
      const { id, number, state, actor } = opened.release;
      assert.deepEqual([id, number, state, actor], ["first", 1, "open", "ada"]);
      const again = await releases.open(release("second", { key: "key-first" }), caller);
      assert.ok(again.status === "repeated");
      assert.equal(again.release.id, "first");
      const other = await releases.open(release("second", { group: "web" }), caller);
      assert.deepEqual(other, { status: "busy", id: "first" });
      await releases.move("first", { from: "open", state: "released", endedAt: LATER });
      const next = await releases.open(release("second", { group: "web" }), caller);
      assert.ok(next.status === "opened");
      assert.equal(next.release.number, 2);
    },
  },
  {
    name: "items are kept in all their details",
    async run({ releases }) {
      await releases.open(release("first"), caller);
      const frozenAt = new Date("2026-03-01T10:00:00.123Z");
      const second = { ...ITEM, id: "first/2", target: "other" };
      await releases.freeze("first", [ITEM, second], { from: "open", state: "frozen", frozenAt });
      const changed: ReleaseItem = {
        ...ITEM,
        state: "pending",
        before: { tags: { latest: null }, manifests: { d: { type: "t", bytes: "e30=" } } },
        wasThere: true,
        attempts: 3,
        nextAt: LATER,
        pendingSince: frozenAt,
        stageId: "stage",
        note: "It was accepted.",
        served: { sha512: "c".repeat(128) },
      };
      await releases.saveItems("first", [changed]);
      const found = await releases.find("first");
      assert.deepEqual(found?.items, [changed, second]);
      assert.deepEqual([found.state, found.frozenAt], ["frozen", frozenAt]);
      await releases.saveItems("first", [{ ...second, attempts: 1 }, ITEM]);
      const both = (await releases.find("first"))?.items;
      assert.deepEqual(both, [ITEM, { ...second, attempts: 1 }]);
    },
  },
  {
    name: "a step ends the wait and the reason of the step before",
    async run({ releases }) {
      await releases.open(release("first"), caller);
      const pivotAt = new Date("2026-03-01T10:00:00.123Z");
      await releases.move("first", {
        from: "open",
        state: "publishing",
        pivotAt,
        nextAt: LATER,
        reason: "away",
      });
      const waiting = await releases.find("first");
      assert.deepEqual([waiting?.nextAt, waiting?.reason], [LATER, "away"]);
      assert.deepEqual(await releases.due(new Date(LATER.getTime() - 1)), []);
      assert.deepEqual(await releases.due(LATER), ["first"]);
      await releases.move("first", { from: "publishing", state: "pointing" });
      const next = await releases.find("first");
      assert.deepEqual(
        [next?.nextAt, next?.reason, next?.pivotAt],
        [undefined, undefined, pivotAt],
      );
    },
  },
  {
    name: "the first running release of each lane is due",
    async run({ releases }) {
      const items = [ITEM];
      const kind = "syndication";
      const opened = [
        release("first", { kind, lane: "a", items }),
        release("second", { kind, lane: "a", items: [{ ...ITEM, id: "second/1" }] }),
        release("third", { kind, lane: "b", items: [{ ...ITEM, id: "third/1" }] }),
      ];
      for (const one of opened) assert.equal((await releases.open(one, caller)).status, "opened");
      assert.deepEqual(await releases.due(LATER), ["first", "third"]);
      assert.equal((await releases.find("first"))?.state, "frozen");
      await releases.move("first", {
        from: "frozen",
        state: "failed",
        endedAt: LATER,
        reason: "refused",
      });
      assert.deepEqual(await releases.due(LATER), ["second", "third"]);
      const listed = await releases.list({ group: "WEB", limit: 2 });
      assert.deepEqual(
        listed.map(({ id }) => id),
        ["third", "second"],
      );
      // Both may have been opened in the same millisecond.
      const rest = await releases.list({ limit: 2, after: listed[0] ?? assert.fail() });
      assert.deepEqual(
        rest.map(({ id }) => id),
        ["second", "first"],
      );
    },
  },
  {
    name: "an operator continues a failed release, and takes back one that can be undone",
    async run({ releases, control }) {
      await releases.open(release("first", { items: [{ ...ITEM, state: "failed" }] }), caller);
      assert.equal(await control.resume("first", caller), "running");
      const pivotAt = new Date("2026-03-01T10:00:00.123Z");
      await releases.move("first", {
        from: "frozen",
        state: "failed",
        pivotAt,
        endedAt: LATER,
        reason: "refused",
      });
      assert.equal(await control.cancel("first", "wrong", caller), "ended");
      assert.equal(await control.resume("first", caller), "resumed");
      const resumed = await releases.find("first");
      assert.deepEqual([resumed?.state, resumed?.endedAt], ["publishing", undefined]);
      assert.equal(resumed?.items[0]?.state, "sending");
      assert.equal(await control.cancel("first", "wrong", caller), "forward");
      await releases.move("first", { from: "publishing", state: "released", endedAt: LATER });
      await releases.open(release("second"), caller);
      assert.equal(await control.cancel("second", "wrong", caller), "cancelled");
      const undoing = await releases.find("second");
      assert.deepEqual([undoing?.state, undoing?.reason], ["undoing", "wrong"]);
      assert.equal(await control.resume("third", caller), "absent");
      const undone = { from: "undoing", state: "rolled-back", endedAt: LATER } as const;
      await releases.move("second", undone);
      assert.equal(await control.resume("second", caller), "ended");
    },
  },
  {
    name: "a syndication that was taken back begins again",
    async run({ releases, control }) {
      const sent: ReleaseItem = {
        ...ITEM,
        state: "undone",
        before: { tags: {} },
        note: "no answer",
      };
      const opened = release("first", { kind: "syndication", items: [sent] });
      await releases.open(opened, caller);
      const end = { from: "frozen", state: "rolled-back", endedAt: LATER } as const;
      await releases.move("first", { ...end, reason: "no answer" });
      assert.equal(await control.resume("first", caller), "resumed");
      const { items, state, endedAt, reason } = (await releases.find("first")) ?? {};
      assert.deepEqual([items, state, endedAt, reason], [[ITEM], "frozen", undefined, undefined]);
      assert.deepEqual(await releases.due(LATER), ["first"]);
    },
  },
  {
    name: "a step of a process that does not know of a cancellation changes nothing",
    async run({ releases, control }) {
      await releases.open(release("first", { items: [ITEM] }), caller);
      assert.equal(await control.cancel("first", "wrong", caller), "cancelled");
      const pivotAt = new Date("2026-03-01T10:00:00.123Z");
      await releases.move("first", { from: "frozen", state: "publishing", pivotAt });
      await releases.freeze("first", [], { from: "open", state: "frozen" });
      const found = await releases.find("first");
      assert.deepEqual(
        [found?.state, found?.pivotAt, found?.items],
        ["undoing", undefined, [ITEM]],
      );
    },
  },
  {
    name: "one release at a time has a place, until it ends",
    async run({ releases, lanes }) {
      for (const id of ["first", "second"]) await releases.open(release(id, { group: id }), caller);
      assert.equal(await lanes.claim("first", ["a", "b"]), undefined);
      assert.equal(await lanes.claim("first", ["a", "b"]), undefined);
      assert.equal(await lanes.claim("second", ["b", "c"]), "first");
      // None of them is taken when one is not free.
      assert.equal(await lanes.claim("first", ["c"]), undefined);
      assert.equal(await lanes.claim("second", []), undefined);
      await releases.move("first", { from: "open", state: "failed", endedAt: LATER });
      assert.equal(await lanes.claim("second", ["b", "c"]), undefined);
      assert.equal(await lanes.claim("third", ["c"]), "second");
      const both = ["x", "y", "z"];
      const claims = [lanes.claim("second", both), lanes.claim("third", both.toReversed())];
      const outcomes = await Promise.all(claims);
      assert.equal(outcomes.filter((other) => other === undefined).length, 1);
    },
  },
  {
    name: "lent keys end with their time, and with their release",
    async run({ releases, lentKeys }) {
      const row = { sealed: Buffer.from("sealed"), expiresAt: LATER };
      const place = { release: "first", target: "Prod", name: "" };
      const other = { ...place, release: "other" };
      await lentKeys.put(place, row);
      await lentKeys.put({ ...place, name: "@acme/bar" }, row);
      await lentKeys.put(other, { ...row, expiresAt: new Date("2026-01-01T00:00:00Z") });
      const found = await lentKeys.find({ ...place, target: "prod" });
      assert.ok(found);
      assert.deepEqual([Buffer.from(found.sealed), found.expiresAt], [row.sealed, LATER]);
      assert.equal(await lentKeys.find(other), undefined);
      await lentKeys.put(other, row);
      await lentKeys.drop({ ...place, name: "@acme/bar" });
      assert.equal(await lentKeys.find({ ...place, name: "@acme/bar" }), undefined);
      await releases.open(release("first"), caller);
      await releases.move("first", { from: "open", state: "failed", endedAt: LATER });
      assert.equal(await lentKeys.find(place), undefined);
      assert.ok(await lentKeys.find(other));
    },
  },
  {
    name: "a statement is kept with its release, and the newest of a group is known",
    async run({ releases, statements }) {
      await releases.open(release("first"), caller);
      assert.equal(await statements.newestDigest("web"), undefined);
      const statement = {
        statement: "{}",
        envelopeSignature: "c2ln",
        plainSignature: "c2ln",
        keyId: "key",
        publicKey: "PEM",
      };
      await releases.move("first", { from: "open", state: "publishing", statement });
      assert.deepEqual(await statements.find("first"), statement);
      const digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
      assert.equal(await statements.newestDigest("WEB"), digest);
      assert.equal(await statements.outcome("first"), undefined);
      const outcome = { ...statement, statement: '{"ended":true}' };
      const end = { from: "publishing", state: "failed", endedAt: LATER } as const;
      await releases.move("first", { ...end, outcome });
      assert.deepEqual(await statements.outcome("first"), outcome);
      assert.deepEqual(await statements.find("first"), statement);
      assert.equal(await statements.newestDigest("WEB"), digest);
    },
  },
  {
    name: "the targets of a name are those that have a version of it",
    async run({ releases, statements }) {
      const items: readonly ReleaseItem[] = [
        { ...ITEM, id: "first/1", target: "prod", state: "published" },
        { ...ITEM, id: "first/2", target: "copy", state: "same" },
        { ...ITEM, id: "first/3", target: "refuses", state: "refused" },
        {
          ...ITEM,
          id: "first/4",
          target: "other",
          state: "published",
          member: { ...ITEM.member, name: "@acme/bar2" },
        },
      ];
      await releases.open(release("first"), caller);
      await releases.freeze("first", items, { from: "open", state: "frozen" });
      const member = { protocol: "npm", name: "@acme/bar" } as const;
      assert.deepEqual(await statements.targetsOf(member), ["copy", "prod"]);
      assert.deepEqual(await statements.targetsOf({ ...member, protocol: "nuget" }), []);
      assert.deepEqual(await statements.targetsOf({ ...member, name: "@acme/%" }), []);
      assert.deepEqual(await statements.targetsOf({ ...member, name: "@acme/*" }), []);
    },
  },
];
