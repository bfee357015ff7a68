import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createOneAtATime } from "./one-at-a-time.ts";
import { createSharedCommits } from "./shared-commits.ts";
import type { Around } from "./shared-commits.ts";

function openShared(around: Partial<Around> = {}) {
  const database = new Database(":memory:");
  database.exec("create table notes (text text not null unique)");
  const insert = database.prepare("insert into notes (text) values (?)");
  const begins: Around["begins"] = async (begin) => begin();
  const whole = { begins, committed: async () => {}, ...around };
  const commits = createSharedCommits(database, createOneAtATime(), whole);
  return {
    add: (text: string) => commits.statement(() => insert.run(text).changes),
    commits,
    insert,
    notes: () => database.prepare("select text from notes").pluck().all(),
  };
}

test("nobody hears of a commit before it is durable, which one sync is for all", async () => {
  const synced = Promise.withResolvers<undefined>();
  let syncs = 0;
  const shared = openShared({
    committed: () => {
      syncs += 1;
      return synced.promise;
    },
  });
  const told: string[] = [];
  const adding = ["a", "b", "c"].map((text) => shared.add(text).then(() => told.push(text)));
  await expect.poll(() => syncs).toBe(1);
  expect(shared.notes()).toEqual(["a", "b", "c"]);
  expect(told).toEqual([]);
  synced.resolve(undefined);
  await Promise.all(adding);
  expect(told).toEqual(["a", "b", "c"]);
  expect(syncs).toBe(1);
});

test("a commit that was not made durable fails for all who shared it", async () => {
  const shared = openShared({ committed: () => Promise.reject(new Error("no disk")) });
  const ends = await Promise.allSettled([shared.add("a"), shared.add("b")]);
  expect(ends).toMatchObject(
    ends.map(() => ({ status: "rejected", reason: { message: "no disk" } })),
  );
});

test("what may not begin is refused, and nothing is written", async () => {
  let isSound = false;
  const shared = openShared({
    async begins(begin) {
      if (!isSound) throw new Error("not now");
      begin();
    },
  });
  await expect(shared.add("a")).rejects.toThrow("not now");
  isSound = true;
  await shared.add("b");
  expect(shared.notes()).toEqual(["b"]);
});

test("a change that fails is undone alone", async () => {
  const shared = openShared();
  const { commits, insert } = shared;
  const failing = commits.transaction(async () => {
    insert.run("half");
    throw new Error("changed its mind");
  });
  const twice = [shared.add("a"), shared.add("a")];
  await expect(failing).rejects.toThrow("changed its mind");
  const ends = await Promise.allSettled(twice);
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(shared.notes()).toEqual(["a"]);
});
