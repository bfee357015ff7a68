import { expect, test } from "vitest";
import { boundedCache } from "./bounded-cache.ts";

test("a full cache forgets its oldest key, and keeps the others", () => {
  const find = boundedCache<string>(2);
  const lookups: string[] = [];
  const look = (key: string) =>
    find(key, () => {
      lookups.push(key);
      return key;
    });
  for (const key of ["a", "b", "c", "b", "c", "a"]) expect(look(key)).toBe(key);
  expect(lookups).toEqual(["a", "b", "c", "a"]);
});
