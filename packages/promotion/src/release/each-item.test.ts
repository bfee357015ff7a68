import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
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
