import { expect, test } from "vitest";
import { z } from "zod";
import { field, fieldsOf, inputOfTexts } from "./field.ts";
import { problemsOf } from "./issue-words.ts";

const INPUT = z.strictObject({
  name: field(z.string().min(2).max(5), "Name", "A name."),
  kind: field(z.enum(["a", "b"]).default("a"), "Kind", "The kind."),
  count: field(z.int().min(1).max(9).optional(), "Count", "A number."),
  isOn: field(z.boolean().optional(), "On", "A switch.", { option: "--on" }),
  parts: field(z.array(z.string()).max(2).optional(), "Parts", "A list."),
});

test("fields have their kind, texts and defaults", () => {
  expect(fieldsOf(INPUT)).toEqual([
    { name: "name", label: "Name", help: "A name.", kind: "text", isRequired: true },
    {
      name: "kind",
      label: "Kind",
      help: "The kind.",
      kind: "choice",
      choices: ["a", "b"],
      isRequired: false,
      fallback: "a",
    },
    { name: "count", label: "Count", help: "A number.", kind: "number", isRequired: false },
    {
      name: "isOn",
      label: "On",
      help: "A switch.",
      option: "--on",
      kind: "flag",
      isRequired: false,
    },
    { name: "parts", label: "Parts", help: "A list.", kind: "list", isRequired: false },
  ]);
});

test("texts become the values of their fields, and no other value", () => {
  const texts = { name: "x1", kind: "", count: "3", isOn: "on", parts: "one", more: "x" };
  expect(inputOfTexts(INPUT, texts)).toEqual({
    name: "x1",
    count: 3,
    isOn: true,
    parts: ["one"],
    more: "x",
  });
  const odd = { name: ["a", "b"], count: "3,5", isOn: "yes", parts: ["a", "b"] };
  expect(inputOfTexts(INPUT, odd)).toEqual(odd);
  expect(inputOfTexts(INPUT, { isOn: "false", name: undefined })).toEqual({ isOn: false });
});

test.each([
  [{}, ["name is missing."]],
  [{ name: null }, ["name must be a text."]],
  [{ name: "x" }, ["name must have at least 2 characters."]],
  [{ name: "x23456" }, ["name must have at most 5 characters."]],
  [{ name: "xy", kind: "c" }, ["kind must be one of: a, b."]],
  [{ name: "xy", count: 10 }, ["count must be at most 9."]],
  [{ name: "xy", count: "3" }, ["count must be a number."]],
  [{ name: "xy", parts: ["a", 1] }, ["parts.1 must be a text."]],
  [{ name: "xy", parts: ["a", "b", "c"] }, ["parts must have at most 2 entries."]],
  [
    { name: "xy", other: 1, more: 2 },
    ["other is not a known field.", "more is not a known field."],
  ],
])("refuses %j in words", (value, words) => {
  const { error } = INPUT.safeParse(value, { reportInput: true });
  const problems = error ? problemsOf(error) : [];
  expect(problems.map((problem) => `${problem.path.join(".")} ${problem.words}`)).toEqual(words);
});
