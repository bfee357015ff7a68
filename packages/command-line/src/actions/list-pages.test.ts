import { expect, test } from "vitest";
import type { TypedCall } from "./action-program.ts";
import { doListed, pagesOf } from "./list-pages.ts";

// A list whose pages may be shorter than asked, as those of the audit log.
const PAGES = [[1, 2], [], [3], [4, 5]];
const asked: unknown[] = [];
const list = async ({ input }: TypedCall) => {
  asked.push(input["limit"]);
  const at = Number(input["after"] ?? 0);
  return { items: PAGES[at], ...(at < PAGES.length - 1 && { next: String(at + 1) }) };
};
const typed = (input: TypedCall["input"]) => ({ input }) as TypedCall;

test("a list has the items of its limit, though pages are shorter", async () => {
  expect(await doListed(typed({ limit: 3 }), list)).toEqual({ items: [1, 2, 3], next: "3" });
  expect(asked).toEqual([3, 1, 1]);
  expect(await doListed(typed({ limit: 100 }), list)).toEqual({ items: [1, 2, 3, 4, 5] });
});

test("an export reads all pages", async () => {
  const items: unknown[] = [];
  for await (const page of pagesOf(typed({ limit: 2 }), list)) items.push(page);
  expect(items).toHaveLength(PAGES.length);
});
