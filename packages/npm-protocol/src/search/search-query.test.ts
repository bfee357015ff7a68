import { expect, test } from "vitest";
import { parseSearchQuery, parseSearchText, searchTextOf } from "./search-query.ts";

test.each([
  ["", { text: "" }],
  ["  left   pad ", { text: "left pad" }],
  ["keywords:string", { text: "", keywords: [["string"]] }],
  ["keywords:a,b+c pad", { text: "pad", keywords: [["a", "b"], ["c"]] }],
  ["keywords:a keywords:b", { text: "", keywords: [["a"], ["b"]] }],
  ["keywords:,", { text: "" }],
  ["scope:acme", { text: "", scope: "@acme" }],
  ["SCOPE:@acme x", { text: "x", scope: "@acme" }],
  ["maintainer:alice", { text: "", maintainers: ["alice"] }],
  ["author:alice Maintainer:bob", { text: "", maintainers: ["alice", "bob"] }],
  ["not:deprecated", { text: "", without: ["deprecated"] }],
  ["not:unstable,deprecated,insecure", { text: "", without: ["deprecated", "unstable"] }],
  ["is:Unstable is:deprecated", { text: "", only: ["deprecated", "unstable"] }],
  ["is:insecure not:insecure pad", { text: "pad" }],
  ["boost-exact:false pad", { text: "pad", boostExact: false }],
  ["boost-exact:false pad boost-exact:true", { text: "pad" }],
  ["boost-exact:never pad", { text: "pad" }],
  ["stars:5", { text: "stars:5" }],
  ["scope:", { text: "scope:" }],
])("%j asks for %j", (text, expected) => {
  expect(parseSearchText(text)).toEqual(expected);
  expect(parseSearchText(searchTextOf(parseSearchText(text)))).toEqual(expected);
});

test.each([
  ["text=x", { from: 0, size: 20 }],
  ["text=x&size=1000&from=99999", { from: 10_000, size: 250 }],
  ["text=x&size=0&from=1e3", { from: 0, size: 0 }],
  ["text=x&size=all&from=-1", { from: 0, size: 20 }],
])("%s has bounded pages", (query, expected) => {
  expect(parseSearchQuery(new URLSearchParams(query))).toMatchObject(expected);
});

test("a negative size is refused", () => {
  const parse = () => parseSearchQuery(new URLSearchParams("text=x&size=-1"));
  expect(parse).toThrow("'size' must be a number from 0 to 250.");
});
