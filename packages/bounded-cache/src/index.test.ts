import { expect, test } from "vitest";
import { BoundedCache } from "./index.ts";

test("a full cache drops the entry that was not used for longest", () => {
  const cache = new BoundedCache<string, number>({ entries: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  expect(cache.get("a")).toBe(1);
  cache.set("c", 3);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test("an entry that was used twice in a row, deleted and set again is kept like any other", () => {
  const cache = new BoundedCache<string, number>({ entries: 2 });
  cache.set("a", 1);
  cache.get("a");
  cache.delete("a");
  cache.set("b", 2);
  cache.set("a", 3);
  cache.get("b");
  cache.set("c", 4);
  expect(["a", "b", "c"].map((key) => cache.has(key))).toEqual([false, true, true]);
});

test("has does not use an entry, and finds one whose value is undefined", () => {
  const cache = new BoundedCache<string, number | undefined>({ entries: 2 });
  cache.set("a", undefined);
  cache.set("b", 2);
  expect(cache.has("a")).toBe(true);
  cache.set("c", 3);
  expect(cache.has("a")).toBe(false);
});

test("the sum of the weights has a limit, and a replaced or deleted entry frees its share", () => {
  const weight = { max: 10, of: (value: string) => value.length };
  const cache = new BoundedCache<string, string>({ weight });
  cache.set("a", "123456");
  cache.set("a", "12345");
  cache.set("b", "12345");
  expect(cache.get("a")).toBe("12345");
  cache.set("c", "1");
  expect(["a", "b", "c"].map((key) => cache.has(key))).toEqual([true, false, true]);
  cache.delete("a");
  cache.set("b", "123456789");
  expect(["a", "b", "c"].map((key) => cache.has(key))).toEqual([false, true, true]);
  cache.clear();
  cache.set("d", "1234567890");
  expect(cache.has("d")).toBe(true);
});

test("an entry over the limit of one entry is not kept, and neither is its predecessor", () => {
  const weight = { max: 10, entryMax: 2, of: (value: string) => value.length };
  const cache = new BoundedCache<string, string>({ weight });
  cache.set("a", "12");
  cache.set("b", "12");
  cache.set("a", "123");
  expect(["a", "b"].map((key) => cache.has(key))).toEqual([false, true]);
});

test("an entry ends at its age, which begins with each set", () => {
  let now = 0;
  const cache = new BoundedCache<string, number>({
    entries: 2,
    age: { maxMs: 10, now: () => now },
  });
  cache.set("a", 1);
  now = 9;
  expect(cache.get("a")).toBe(1);
  cache.set("a", 2);
  now = 18;
  expect(cache.get("a")).toBe(2);
  now = 19;
  expect(cache.has("a")).toBe(false);
  expect(cache.get("a")).toBeUndefined();
});

test("remember looks once for what exists, and again for what does not", () => {
  const cache = new BoundedCache<string, string>({ entries: 2, keyLengthMax: 3 });
  const looks: string[] = [];
  const look = (key: string, found: string | undefined) =>
    cache.remember(key, () => {
      looks.push(key);
      return found;
    });
  for (const _ of [1, 2]) {
    expect(look("a", "found")).toBe("found");
    expect(look("b", undefined)).toBeUndefined();
    expect(look("long", "found")).toBe("found");
  }
  expect(looks).toEqual(["a", "b", "long", "b", "long"]);
});
