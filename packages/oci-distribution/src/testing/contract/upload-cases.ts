import { errorCodeOf } from "@sealhouse/http-responses";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { UploadSession } from "../../ports.ts";
import { limitedUploads } from "../../upload/upload-limit.ts";
import type { OciPortsCase } from "./contract-case.ts";
import { repository } from "./contract-case.ts";

const LEASE_MS = 60_000;

export const uploadCases: readonly OciPortsCase[] = [
  {
    name: "remembers an upload session as it was created",
    async run({ uploads }) {
      const plain = session();
      const hinted = { ...session(), algorithm: "sha512" as const };
      await uploads.create(plain);
      await uploads.create(hinted);
      assert.deepEqual({ ...(await uploads.find(plain.id)) }, plain);
      assert.deepEqual({ ...(await uploads.find(hinted.id)) }, hinted);
      assert.equal(await uploads.find(randomUUID()), undefined);
    },
  },
  {
    name: "creates a session once, and with its writer's place when asked to",
    async run({ uploads }) {
      const newSession = { ...session(), isNew: true } as const;
      const claim = { writer: "first", leaseMs: LEASE_MS };
      const created = await Promise.all(
        Array.from({ length: 8 }, () => uploads.create(newSession, claim)),
      );
      assert.equal(created.filter(Boolean).length, 1);
      assert.equal(await uploads.claim(newSession.id, "second", LEASE_MS), false);
      assert.equal(await uploads.advance(newSession.id, "first", 5), true);
      const { isNew: _, ...stored } = newSession;
      assert.deepEqual({ ...(await uploads.find(newSession.id)) }, { ...stored, offset: 5 });
    },
  },
  {
    name: "keeps few bytes with the session until there are files",
    async run({ uploads }) {
      const bytes = Buffer.from([0, 1, 255]);
      const few = { ...session(), offset: 3, bytes };
      await uploads.create(few);
      const storedSession = await uploads.find(few.id);
      assert.deepEqual(Buffer.from(storedSession?.bytes ?? []), bytes);
      await uploads.claim(few.id, "writer", LEASE_MS);
      await uploads.advance(few.id, "writer", 5);
      assert.equal((await uploads.find(few.id))?.bytes, undefined);
    },
  },
  {
    name: "refuses a second writer until the first one leaves",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      assert.equal(await uploads.claim(id, "first", LEASE_MS), true);
      assert.equal(await uploads.claim(id, "second", LEASE_MS), false);
      await uploads.release(id, "second");
      assert.equal(await uploads.claim(id, "second", LEASE_MS), false);
      assert.equal(await uploads.claim(id, "first", LEASE_MS), true, "the holder may renew");
      await uploads.release(id, "first");
      assert.equal(await uploads.claim(id, "second", LEASE_MS), true);
    },
  },
  {
    name: "gives one of eight concurrent writers the claim",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      const won = await Promise.all(
        Array.from({ length: 8 }, (_, n) => uploads.claim(id, `writer-${n}`, LEASE_MS)),
      );
      assert.equal(won.filter(Boolean).length, 1);
    },
  },
  {
    name: "lets another writer take over an expired lease, and the late one lose",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      assert.equal(await uploads.claim(id, "dead", 20), true);
      await sleep(60);
      assert.equal(await uploads.claim(id, "heir", LEASE_MS), true);
      assert.equal(await uploads.advance(id, "dead", 10), false);
      await uploads.release(id, "dead");
      assert.equal(await uploads.advance(id, "heir", 20), true);
      assert.equal((await uploads.find(id))?.offset, 20);
    },
  },
  {
    name: "moves the offset for the holder of the claim only",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      assert.equal(await uploads.advance(id, "nobody", 5), false);
      await uploads.claim(id, "holder", LEASE_MS);
      assert.equal(await uploads.advance(id, "other", 5), false);
      assert.equal((await uploads.find(id))?.offset, 0);
      assert.equal(await uploads.advance(id, "holder", 5_000_000_000), true);
      assert.equal((await uploads.find(id))?.offset, 5_000_000_000);
    },
  },
  {
    name: "leaves the writer's place with the last move",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      await uploads.claim(id, "holder", LEASE_MS);
      assert.equal(await uploads.advance(id, "other", 5, { last: true }), false);
      assert.equal(await uploads.advance(id, "holder", 5, { last: true }), true);
      assert.equal((await uploads.find(id))?.offset, 5);
      assert.equal(await uploads.claim(id, "next", LEASE_MS), true);
    },
  },
  {
    name: "gives a session to one who takes it, and none that is held or has moved",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      await uploads.claim(id, "holder", LEASE_MS);
      assert.equal(await uploads.take(id, 0), false, "it is held");
      await uploads.release(id, "holder");
      const taken = await Promise.all(Array.from({ length: 8 }, () => uploads.take(id, 0)));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await uploads.find(id), undefined);
      const begun = { ...session(), id: id.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) };
      await uploads.create(begun);
      await uploads.claim(begun.id, "holder", LEASE_MS);
      await uploads.advance(begun.id, "holder", 5, { last: true });
      assert.equal(await uploads.take(begun.id, 0), false, "it has moved");
      assert.equal(await uploads.take(begun.id, 5), true);
    },
  },
  {
    name: "forgets a removed session",
    async run({ uploads }) {
      const { id } = session();
      await uploads.create({ ...session(), id });
      await uploads.claim(id, "holder", LEASE_MS);
      await uploads.remove(id);
      assert.equal(await uploads.find(id), undefined);
      assert.equal(await uploads.claim(id, "holder", LEASE_MS), false);
      assert.equal(await uploads.advance(id, "holder", 5), false);
      await uploads.release(id, "holder");
      await uploads.remove(id);
    },
  },
  {
    name: "counts the open sessions of one owner, without those that are idle",
    async run({ uploads }) {
      const [first, second, other] = [session(), session(), { ...session(), owner: "token-2" }];
      for (const uploadSession of [first, second, other]) await uploads.create(uploadSession);
      assert.equal(await uploads.countOpen("token-1"), 2);
      assert.equal(await uploads.countOpen("token-2"), 1);
      assert.equal(await uploads.countOpen("token-3"), 0);
      assert.equal(await uploads.countOpen("token-1", new Date(Date.now() - 60_000)), 2);
      assert.equal(await uploads.countOpen("token-1", new Date(Date.now() + 60_000)), 0);
      await uploads.remove(first.id);
      assert.equal(await uploads.countOpen("token-1"), 1);
    },
  },
  {
    name: "opens no more sessions of one owner at the same time than it may have",
    async run({ uploads }) {
      const limited = limitedUploads({ uploads, openMax: 3 });
      const open = (owner: string) => limited.create({ ...session(), owner });
      assert.equal(await open("token-1"), true);
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => open("token-1")));
      const opened = outcomes.filter(({ status }) => status === "fulfilled").length;
      assert.ok(opened <= 2, `${opened} of 20 opened`);
      const refusals = outcomes.flatMap((outcome) =>
        outcome.status === "rejected" ? [errorCodeOf(outcome.reason)] : [],
      );
      assert.deepEqual([...new Set(refusals)], ["TOOMANYREQUESTS"]);
      assert.equal(await uploads.countOpen("token-1"), 1 + opened);
      assert.equal(await open("token-2"), true);
      while ((await uploads.countOpen("token-1")) < 3) await open("token-1");
      await assert.rejects(open("token-1"), { code: "TOOMANYREQUESTS" });
    },
  },
  {
    name: "expires idle sessions, some at a time, and spares those in use",
    async run({ uploads }) {
      const [idle, alsoIdle, heldSession] = [session(), session(), session()];
      for (const uploadSession of [idle, alsoIdle, heldSession])
        await uploads.create(uploadSession);
      await uploads.claim(heldSession.id, "writer", LEASE_MS);
      const before = new Date(Date.now() - 60_000);
      assert.deepEqual(await uploads.expire(before, 10), []);
      const later = new Date(Date.now() + 60_000);
      assert.equal((await uploads.find(idle.id, before))?.id, idle.id);
      assert.equal(await uploads.find(idle.id, later), undefined);
      const first = await uploads.expire(later, 1);
      assert.equal(first.length, 1);
      const all = [...first, ...(await uploads.expire(later, 10))];
      assert.deepEqual(all.toSorted(), [idle.id, alsoIdle.id].toSorted());
      assert.equal(await uploads.find(idle.id), undefined);
      assert.equal((await uploads.find(heldSession.id))?.id, heldSession.id);
    },
  },
];

function session(): UploadSession {
  return { id: randomUUID(), repository: repository("team/app"), owner: "token-1", offset: 0 };
}
