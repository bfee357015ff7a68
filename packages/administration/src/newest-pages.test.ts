import { expect, test } from "vitest";
import { z } from "zod";
import { fieldsOf, inputOfTexts } from "./field.ts";
import { problemsOf } from "./issue-words.ts";
import { countField, newestFields, newestPage, newestWithId } from "./paging.ts";

const ROWS = [7, 6, 4, 3, 1].map((id) => ({ id: String(id) }));
const list = async ({ limit, before }: { readonly limit: number; readonly before?: string }) =>
  ROWS.filter(({ id }) => before === undefined || Number(id) < Number(before)).slice(0, limit);

test("pages of a table begin with its newest rows, and lose none", async () => {
  const pages: (readonly string[])[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await newestPage({ limit: 2, after }, list);
    pages.push(items.map(({ id }) => id));
    if (next === undefined) break;
    after = next;
  }
  expect(pages).toEqual([["7", "6"], ["4", "3"], ["1"]]);
});

test("finds a row of such a table by its id only", async () => {
  expect(await newestWithId("4", list)).toEqual({ id: "4" });
  expect(await newestWithId("5", list)).toBeUndefined();
  expect(await newestWithId("x", list)).toBeUndefined();
});

const INPUT = z.strictObject(newestFields({ max: 1_000, fallback: 50, items: "mails" }));

test.each(["0", "1001", "1.5", "many"])("refuses a limit of %s with the range", (limit) => {
  const checked = INPUT.safeParse(inputOfTexts(INPUT, { limit }), { reportInput: true });
  expect(checked.error && problemsOf(checked.error)).toEqual([
    { path: ["limit"], words: "must be a whole number from 1 to 1000." },
  ]);
});

test("a list without a limit has the default of its command", () => {
  expect(INPUT.parse({})).toEqual({ limit: 50 });
  expect(
    fieldsOf(z.strictObject({ limit: countField({ max: 9, fallback: 5, items: "x" }) })),
  ).toEqual([expect.objectContaining({ kind: "number", fallback: 5, option: "--limit <count>" })]);
});

test("refuses a key that no answer gave", () => {
  expect(INPUT.safeParse({ after: "x" }).success).toBe(false);
});

test("a choice is read in any letter case, and stays a text when it is none", () => {
  const input = z.strictObject({ format: z.enum(["CloudEvents", "Legacy"]).optional() });
  expect(inputOfTexts(input, { format: "legacy" })).toEqual({ format: "Legacy" });
  expect(inputOfTexts(input, { format: "xml" })).toEqual({ format: "xml" });
});
