import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { BREAK, idPartsOf, idWordsOf, wordsOf } from "./words.ts";

test.each([
  ["Fast, structured_logging!", ["fast", "structured", "logging"]],
  ["Crème Brûlée", ["creme", "brulee"]],
  ["İstanbul straße", ["istanbul", "straße"]],
  ["日本語 ﬁne", ["日本語", "fine"]],
  ["\ud800 ✓ --", []],
])("splits %j", (text, words) => expect(wordsOf(text)).toEqual(words));

test.each([
  ["Acme", ["acme"]],
  ["Acme.Json", ["acme", "json"]],
  ["Acme.JsonTools", ["acme", "jsontools", BREAK, "acme", "json", "tools"]],
  ["XMLReader2Go", ["xmlreader2go", BREAK, "xml", "reader", "2", "go"]],
  ["a_b-c", ["a", "b", "c"]],
])("knows the words of the id %s", (id, words) => expect(idWordsOf(id)).toEqual(words));

test("knows what the words of an id end in", () => {
  expect(idPartsOf("Acme.Log")).toEqual(["cme"]);
  expect(idPartsOf("Json")).toEqual(["son"]);
});

test("gives words that an index takes as one, whatever the text", () => {
  assert(
    property(string({ unit: "binary" }), (text) => {
      for (const word of wordsOf(text)) {
        expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
        expect(wordsOf(word)).toEqual([word]);
      }
    }),
  );
});
