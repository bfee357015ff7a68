import { expect, test } from "vitest";
import { keyAfter, pageFrom, pageOf } from "./paging.ts";

const names = (count: number) =>
  Array.from({ length: count }, (_, at) => `n${String(at).padStart(4, "0")}`);

/** A table of names, and the number of items that each read asked for. */
function tableOf(all: readonly string[]) {
  const asked: number[] = [];
  const after = (from: string | undefined) =>
    pageFrom<string>(
      from === undefined ? undefined : 2,
      async (last, most) => {
        asked.push(most);
        return all.filter((name) => name > (last ?? keyAfter(from) ?? "")).slice(0, most);
      },
      (name) => name,
    );
  return { after, asked };
}

test("a page of a table has the key of its last item, unless it is the last page", async () => {
  const { after, asked } = tableOf(names(5));
  const first = await after("");
  const second = await after(first.next);
  const third = await after(second.next);
  expect([first.items, second.items, third.items]).toEqual([
    ["n0000", "n0001"],
    ["n0002", "n0003"],
    ["n0004"],
  ]);
  expect(third).not.toHaveProperty("next");
  // One more than the limit shows that more follow.
  expect(asked).toEqual([3, 3, 3]);
});

test.each([0, 1, 499, 500, 501, 1_000])(
  "all %i items of a table are read in parts",
  async (count) => {
    const { after, asked } = tableOf(names(count));
    expect(await after(undefined)).toEqual({ items: names(count) });
    expect(asked).toHaveLength(Math.floor(count / 500) + 1);
  },
);

test("a list in memory has the same pages, whatever its order", () => {
  const all = names(3).toReversed();
  const first = pageOf(all, { limit: 2 }, (name) => name);
  expect(first.items).toEqual(["n0000", "n0001"]);
  expect(pageOf(all, { limit: 2, after: first.next }, (name) => name)).toEqual({
    items: ["n0002"],
  });
});
