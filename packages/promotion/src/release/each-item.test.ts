import { setImmediate as turn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createScriptedTarget, memberOf, openScripted } from "./scripted-target.test.support.ts";

test("works on some names at once, and on one name in order", async () => {
  const target = createScriptedTarget("prod");
  target.publisher.namesAtOnce = 2;
  const members = [
    memberOf("a", "1.0.0"),
    memberOf("a", "2.0.0"),
    memberOf("b"),
    memberOf("c"),
    memberOf("d"),
  ];
  const running = new Set<string>();
  const sets: string[] = [];
  target.publisher.publish = async ({ member: { name, version } }) => {
    expect(running).not.toContain(name);
    running.add(name);
    await turn();
    sets.push(`${[...running].join("")} ${version}`);
    running.delete(name);
    return { status: "done" };
  };
  const { open, runToEnd } = openScripted([target], { members });
  await open();
  expect((await runToEnd()).state).toBe("released");
  expect(sets.filter((set) => set.startsWith("a")).map((set) => set.slice(-5))).toEqual([
    "1.0.0",
    "2.0.0",
  ]);
  expect(Math.max(...sets.map((set) => set.indexOf(" ")))).toBe(2);
});

test("an answer that says nothing about an item stops the work at its target", async () => {
  const target = createScriptedTarget("prod");
  target.publisher.namesAtOnce = 2;
  const members = Array.from({ length: 20 }, (_, at) => memberOf(`p${at}`));
  let asked = 0;
  target.publisher.publish = async () => {
    asked += 1;
    return { status: "failed", reason: "503" };
  };
  const { open, run, found } = openScripted([target], { members });
  await open();
  await run();
  expect((await found()).state).toBe("publishing");
  expect(asked).toBe(target.publisher.namesAtOnce);
});

test("a failure at one target ends the run after the sends of others", async () => {
  const [broken, slow] = [createScriptedTarget("broken"), createScriptedTarget("slow")];
  const order: string[] = [];
  const sending = Promise.withResolvers<void>();
  broken.publisher.publish = async () => {
    throw new Error("the database is unavailable");
  };
  slow.publisher.publish = async ({ member }) => {
    order.push(`begun ${member.name}`);
    await sending.promise;
    order.push("ended");
    return { status: "done" };
  };
  const members = ["a", "b"].map((name) => memberOf(name));
  const { open, run } = openScripted([broken, slow], { members });
  await open();
  const running = run().finally(() => order.push("given up"));
  const failed = expect(running).rejects.toThrow("the database is unavailable");
  await vi.waitFor(() => expect(order).toContain("begun a"));
  for (let turns = 0; turns < 20; turns += 1) await turn();
  sending.resolve();
  await failed;
  expect(order).toEqual(["begun a", "ended", "given up"]);
});
