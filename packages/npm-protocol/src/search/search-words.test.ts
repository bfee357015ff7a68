import { expect, test } from "vitest";
import { nameEndings, searchableWords, searchWords } from "./search-words.ts";

test.each([
  ["left-pad", ["left", "pad"]],
  ["@Acme/Café_2", ["acme", "cafe", "2"]],
  ["a日本b", ["a", "日本", "b"]],
  ["% ! -", []],
  ["x".repeat(50), ["x".repeat(40)]],
])("%j has the words %j", (text, words) => {
  expect(searchWords(text)).toEqual(words);
});

test("a name is found by every part of its words", () => {
  expect(nameEndings("@ab/pad")).toEqual(["ab", "b", "pad", "ad", "d"]);
});

test("each word of a description and of keywords is there once", () => {
  const version = { name: "a", description: "Pad a string", keywords: ["string", "left pad"] };
  expect(searchableWords(version)).toEqual({ name: ["a"], text: ["pad", "a", "string", "left"] });
});
