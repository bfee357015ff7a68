import { expect, test } from "vitest";
import { testSource } from "../../testing/index.ts";
import type { PackageSource } from "../../sources/package-source.ts";
import { createSourceList } from "./source-list.ts";

test("a refreshed list reads sources again, even during a read", async () => {
  const source = testSource("npm", new URL("https://registry.example"));
  let rows: readonly PackageSource[] = [];
  const reads: (() => void)[] = [];
  const list = createSourceList({
    now: () => new Date(0),
    configured: [],
    async stored() {
      const before = rows;
      await new Promise<void>((resolve) => reads.push(resolve));
      return before;
    },
  });
  const read = async (answer = list.current()) => {
    reads.shift()?.();
    return answer;
  };
  expect(await read()).toEqual([]);
  expect(await list.current()).toEqual([]);
  list.refresh();
  const during = list.current();
  rows = [source];
  list.refresh();
  const after = list.current();
  expect(await read(during)).toEqual([]);
  expect(await read(after)).toEqual([source]);
  expect(await list.current()).toEqual([source]);
  expect(reads).toEqual([]);
});
