import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createSerialQueue } from "./serial-queue.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { CommitHooks } from "./group-commit.ts";

function openShared(around: Partial<CommitHooks> = {}) {
  const database = new Database(":memory:");
  database.exec("create table notes (text text not null unique)");
  const insert = database.prepare("insert into notes (text) values (?)");
  const begins: CommitHooks["begins"] = async (begin) => begin();
  const whole = { begins, committed: async () => {}, ...around };
  const commits = createGroupCommit(database, createSerialQueue(), whole);
  return {
    add: (text: string) => commits.statement(() => insert.run(text).changes),
    commits,
    insert,
    notes: () => database.prepare("select text from notes").pluck().all(),
  };
}

test("one sync makes shared changes durable before any result", async () => {
  const synced = Promise.withResolvers<undefined>();
  let syncs = 0;
  const shared = openShared({
    committed: () => {
      syncs += 1;
      return synced.promise;
    },
  });
  const addedTexts: string[] = [];
  const adding = ["a", "b", "c"].map((text) => shared.add(text).then(() => addedTexts.push(text)));
  await expect.poll(() => syncs).toBe(1);
  expect(shared.notes()).toEqual(["a", "b", "c"]);
  expect(addedTexts).toEqual([]);
  synced.resolve(undefined);
  await Promise.all(adding);
  expect(addedTexts).toEqual(["a", "b", "c"]);
  expect(syncs).toBe(1);
});

test("a failed sync fails all changes of the commit", async () => {
  const shared = openShared({ committed: () => Promise.reject(new Error("no disk")) });
  const ends = await Promise.allSettled([shared.add("a"), shared.add("b")]);
  expect(ends).toMatchObject(
    ends.map(() => ({ status: "rejected", reason: { message: "no disk" } })),
  );
});

test("a refused commit writes nothing", async () => {
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

test("rolls back a lone change that fails", async () => {
  const { add, commits, insert, notes } = openShared();
  const failing = commits.transaction(async () => {
    insert.run("half");
    throw new Error("changed its mind");
  });
  await expect(failing).rejects.toThrow("changed its mind");
  await add("a");
  await expect(add("a")).rejects.toThrow("UNIQUE");
  await add("b");
  expect(notes()).toEqual(["a", "b"]);
});

test("rolls back a failed change alone", async () => {
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
