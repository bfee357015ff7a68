import assert from "node:assert/strict";
import type { ShownEvent, RegistryEvent } from "../event.ts";
import type { AuditLog, AuditQuery, Outbox, ParkedEvents, ParkedList } from "../ports.ts";

/** An outbox, with the way that events enter it (in a database: within a transaction). */
export type OutboxSubject = {
  readonly outbox: Outbox;
  /** Writes the events atomically in this order, and assigns ids and times. */
  readonly record: (events: readonly ShownEvent[]) => Promise<void>;
};

export type ContractTest<Subject> = {
  readonly name: string;
  readonly run: (subject: Subject) => Promise<void>;
};

/** Contract tests of outboxes for any test runner; each starts with an empty outbox. */
export const outboxContract: readonly ContractTest<OutboxSubject>[] = [
  {
    name: "returns complete events, oldest first, each with an id and a time",
    async run({ outbox, record }) {
      const caller = { actor: "ci", tokenId: "t-1", address: "2001:db8::1", requestId: "r-1" };
      const detail = { version: "1.0.0", size: 42, listed: true, tags: ["a", "b"] };
      const written: readonly ShownEvent[] = [
        { type: "package.published", subject: "nuget/Acme.Wörter@1.0.0", caller, detail },
        published("second"),
        { type: "gc.completed", subject: "oci", caller: { actor: "system" } },
      ];
      await record(written.slice(0, 1));
      await record(written.slice(1));
      const pending = await outbox.pending("audit", 10);
      assert.deepEqual(pending.map(asWritten), written);
      assert.equal(new Set(pending.map((event) => event.id)).size, 3);
      assert.ok(pending.every((event) => event.at instanceof Date && event.at.getTime() > 0));
    },
  },
  {
    name: "returns up to the limit, and the same events until they are delivered",
    async run({ outbox, record }) {
      await record(["1", "2", "3"].map(published));
      const first = await outbox.pending("audit", 2);
      assert.deepEqual(first.map(subjectOf), ["npm/1", "npm/2"]);
      assert.deepEqual(await outbox.pending("audit", 2), first);
      await outbox.delivered("audit", idsOf(first));
      assert.deepEqual((await outbox.pending("audit", 2)).map(subjectOf), ["npm/3"]);
    },
  },
  {
    name: "stores the progress of each consumer separately",
    async run({ outbox, record }) {
      await record(["1", "2"].map(published));
      await outbox.delivered("audit", idsOf(await outbox.pending("audit", 10)));
      assert.deepEqual(await outbox.pending("audit", 10), []);
      assert.equal((await outbox.pending("webhooks", 10)).length, 2);
    },
  },
  {
    name: "accepts deliveries in any order, repeated ones and unknown ids",
    async run({ outbox, record }) {
      await record(["1", "2", "3"].map(published));
      const [one, two, three] = idsOf(await outbox.pending("audit", 10));
      assert.ok(one !== undefined && two !== undefined && three !== undefined);
      await outbox.delivered("audit", [two]);
      await outbox.delivered("audit", [two, "9999999999"]);
      await outbox.delivered("audit", []);
      assert.deepEqual((await outbox.pending("audit", 10)).map(subjectOf), ["npm/1", "npm/3"]);
      await outbox.delivered("audit", [three, one]);
      assert.deepEqual(await outbox.pending("audit", 10), []);
    },
  },
  {
    name: "deletes events that all consumers have handled, and reuses no id",
    async run({ outbox, record }) {
      await record(["1", "2"].map(published));
      const ids = idsOf(await outbox.pending("audit", 10));
      await outbox.delivered("audit", ids);
      assert.equal(await outbox.trim([{ name: "audit" }, { name: "webhooks" }]), 0);
      assert.equal((await outbox.pending("webhooks", 10)).length, 2);
      await record([published("3")]);
      const [three] = await outbox.pending("audit", 10);
      assert.ok(three && !ids.includes(three.id));
    },
  },
  {
    name: "returns only events of the consumer's types, and deletes the others",
    async run({ outbox, record }) {
      const types = ["token.created"] as const;
      const created: ShownEvent = { ...published("token"), type: "token.created" };
      await record([published("1"), created, published("2")]);
      const pending = await outbox.pending("mail", 10, types);
      assert.deepEqual(pending.map(subjectOf), ["npm/token"]);
      await outbox.delivered("mail", idsOf(pending), types);
      assert.deepEqual(await outbox.pending("mail", 10, types), []);
      // Whatever is deleted, an event that a consumer reads and does not have stays.
      await record([{ ...created, subject: "npm/later" }]);
      await outbox.trim([{ name: "mail", types }]);
      assert.deepEqual((await outbox.pending("mail", 10, types)).map(subjectOf), ["npm/later"]);
    },
  },
  {
    name: "refuses an event with a secret, and its whole transaction",
    async run({ outbox, record }) {
      const telling: ShownEvent = { ...published("2"), detail: { apiToken: "x" } };
      await assert.rejects(record([published("1"), telling]), { name: "SecretInEventError" });
      assert.deepEqual(await outbox.pending("audit", 10), []);
    },
  },
];

/** Contract tests of audit logs; each starts with an empty log. */
export const auditLogContract: readonly ContractTest<AuditLog>[] = [
  {
    name: "returns complete records, newest first, up to the limit",
    async run(log) {
      const events = ["1", "2", "3"].map(happened);
      await log.append(events);
      assert.deepEqual(await recordsOf(log, newest(2)), events.toReversed().slice(0, 2));
      assert.deepEqual(await recordsOf(log, newest(10)), events.toReversed());
    },
  },
  {
    name: "writes a repeated delivery once and keeps the first text",
    async run(log) {
      const [one, two] = ["1", "2"].map(happened);
      assert.ok(one && two);
      await log.append([one]);
      await log.append([{ ...one, subject: "npm/other" }, two]);
      await log.append([]);
      assert.deepEqual(await recordsOf(log, newest(10)), [two, one]);
    },
  },
  {
    name: "writes an event once under concurrent deliveries",
    async run(log) {
      const events = ["1", "2"].map(happened);
      await Promise.all([log.append(events), log.append(events)]);
      assert.deepEqual(await recordsOf(log, newest(10)), events.toReversed());
    },
  },
  {
    name: "finds records by time, type, actor, token and subject",
    async run(log) {
      const events = ["1", "2", "3"].map(happened);
      const [one, two, three] = events;
      assert.ok(one && two && three);
      const other: RegistryEvent = { ...three, type: "gc.completed", subject: "oci" };
      await log.append([one, two, { ...other, caller: { actor: "system" } }]);
      const findIds = async (query: Omit<AuditQuery, "order" | "limit">) =>
        idsOf(await recordsOf(log, { ...query, order: "oldest-first", limit: 10 }));
      assert.deepEqual(await findIds({ since: two.at }), [two.id, three.id]);
      assert.deepEqual(await findIds({ until: two.at }), [one.id]);
      assert.deepEqual(await findIds({ types: ["gc.completed", "gc.completed"] }), [three.id]);
      assert.deepEqual(await findIds({ actor: "ci" }), [one.id, two.id]);
      assert.deepEqual(await findIds({ tokenId: "token-2" }), [two.id]);
      assert.deepEqual(await findIds({ address: "192.0.2.1" }), [one.id, two.id]);
      assert.deepEqual(await findIds({ types: ["gc.completed"], actor: "ci" }), []);
      const types = ["gc.completed", "package.published"] as const;
      assert.deepEqual(await findIds({ types, since: two.at }), [two.id, three.id]);
      assert.deepEqual(await findIds({ subject: "npm/1" }), [one.id]);
      assert.deepEqual(await findIds({ subject: "npm/*" }), [one.id, two.id]);
      assert.deepEqual(await findIds({ subject: "npm/%" }), []);
      assert.deepEqual(await findIds({ actor: "ci", subject: "npm/2*" }), [two.id]);
    },
  },
  {
    name: "returns pages in either order",
    async run(log) {
      const events = ["1", "2", "3"].map(happened);
      await log.append(events);
      const ids = idsOf(events);
      for (const order of ["oldest-first", "newest-first"] as const) {
        const expected = order === "oldest-first" ? ids : ids.toReversed();
        const first = await log.read({ order, limit: 2 });
        const after = first.next ?? "";
        const rest = await log.read({ order, limit: 2, after });
        assert.deepEqual(idsOf([...first.records, ...rest.records]), expected);
        assert.equal(rest.next, undefined);
      }
    },
  },
  {
    name: "returns each record once where many have the same time",
    async run(log) {
      const at = new Date(Date.UTC(2026, 0, 1));
      const types = ["gc.completed", "package.published"] as const;
      const events = ["1", "2", "3", "4", "5"].map((name, index) => ({
        ...happened(name),
        type: types[index % 2] ?? types[0],
        at,
      }));
      await log.append(events);
      for (const filter of [{}, { types }, { subject: "npm/*" }, { actor: "ci" }]) {
        const ids: string[] = [];
        for (let after: string | undefined; ;) {
          const query = { order: "newest-first", limit: 1, ...filter } as const;
          const page = await log.read({ ...query, ...(after !== undefined && { after }) });
          ids.push(...idsOf(page.records));
          if (page.next === undefined) break;
          after = page.next;
        }
        assert.deepEqual(ids, idsOf(events.toReversed()));
      }
    },
  },
  {
    name: "finds a record by its id",
    async run(log) {
      const event = happened("1");
      await log.append([event]);
      assert.deepEqual(await log.find(event.id), event);
      assert.equal(await log.find("1002"), undefined);
      assert.equal(await log.find("x"), undefined);
    },
  },
  {
    name: "deletes only records older than a time",
    async run(log) {
      const events = ["1", "2", "3"].map(happened);
      await log.append(events);
      const before = events[2]?.at ?? new Date();
      let deleted = 0;
      for (let count = -1; count !== 0; deleted += count) count = await log.trim(before);
      assert.equal(deleted, 2);
      assert.deepEqual(await recordsOf(log, newest(10)), events.slice(2));
    },
  },
];

function published(name: string): ShownEvent {
  return { type: "package.published", subject: `npm/${name}`, caller: { actor: "ci" } };
}

/** Creates a stored event whose id ascends with its name. */
function happened(name: string): RegistryEvent {
  return {
    ...published(name),
    id: `100${name}`,
    at: new Date(Date.UTC(2026, 0, 1, 12, 0, Number(name), 123)),
    caller: { actor: "ci", tokenId: `token-${name}`, address: "192.0.2.1", requestId: "r" },
    detail: { version: name },
  };
}

async function recordsOf(log: AuditLog, query: AuditQuery): Promise<readonly RegistryEvent[]> {
  return (await log.read(query)).records;
}

function newest(limit: number): AuditQuery {
  return { order: "newest-first", limit };
}

function asWritten({ id: _id, at: _at, ...event }: RegistryEvent): ShownEvent {
  return event;
}

function subjectOf(event: RegistryEvent): string {
  return event.subject;
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** Contract tests of parked events; each starts without any. */
export const parkedContract: readonly ContractTest<ParkedEvents & ParkedList>[] = [
  {
    name: "keeps an event once for each consumer, with its failure",
    async run(parked) {
      const event = happened("1");
      await parked.park("mail", event, { error: "down", nextAt: later(1) });
      await parked.park("mail", event, { error: "other", nextAt: undefined });
      await parked.park("audit", event, { error: "down", nextAt: later(1) });
      const [waiting, ...others] = await parked.waiting("mail", 10);
      assert.equal(others.length, 0);
      assert.deepEqual(
        { event: waiting?.event, error: waiting?.error, attempts: waiting?.attempts },
        { event, error: "down", attempts: 0 },
      );
      assert.deepEqual(waiting?.nextAt, later(1));
      assert.deepEqual(await parked.count(), { waiting: 2, dead: 0 });
    },
  },
  {
    name: "gives an attempt to one instance only",
    async run(parked) {
      await parked.park("mail", happened("1"), { error: "down", nextAt: later(1) });
      const [seen] = await parked.waiting("mail", 10);
      assert.ok(seen);
      const claims = await Promise.all([
        parked.claim(seen, later(2)),
        parked.claim(seen, later(2)),
      ]);
      assert.equal(claims.filter(Boolean).length, 1);
      assert.equal((await parked.waiting("mail", 10))[0]?.attempts, 1);
    },
  },
  {
    name: "lists dead events, which only a replay brings back",
    async run(parked) {
      for (const name of ["1", "2"]) {
        await parked.park("mail", happened(name), { error: "down", nextAt: later(1) });
      }
      const [one, two] = await parked.waiting("mail", 10);
      assert.ok(one && two);
      await parked.fail(one.id, { error: "gone", nextAt: undefined });
      await parked.remove(two.id);
      assert.deepEqual(await parked.waiting("mail", 10), []);
      const dead = await parked.list({ dead: true, limit: 10 });
      assert.deepEqual(
        dead.map(({ id, error }) => ({ id, error })),
        [{ id: one.id, error: "gone" }],
      );
      assert.deepEqual(await parked.list({ dead: true, before: one.id, limit: 10 }), []);
      const before = String(Number(one.id) + 1);
      const page = await parked.list({ dead: false, before, limit: 10 });
      assert.deepEqual(idsOf(page), [one.id]);
      assert.deepEqual(await parked.count(), { waiting: 0, dead: 1 });
      assert.equal(await parked.replay("999999"), "absent");
      assert.equal(await parked.replay(one.id), "replayed");
      const [again] = await parked.waiting("mail", 10);
      assert.equal(again?.attempts, 0);
    },
  },
];

function later(minutes: number): Date {
  return new Date(Date.UTC(2026, 0, 1, 12, minutes));
}
