import { expect, test } from "vitest";
import { parseQueryText } from "./query.ts";

const term = (text: string, ...words: string[]) => ({ text, words: words.length ? words : [text] });

test.each([
  ["", [], {}],
  ["Json writer", [term("json"), term("writer")], {}],
  ['"Json  writer" x', [term("json  writer", "json", "writer"), term("x")], {}],
  ["asp.net", [term("asp.net", "asp", "net")], {}],
  ["id:Json", [], { id: [term("json")] }],
  ["ID:a id:b", [], { id: [term("a"), term("b")] }],
  ["PackageId:Acme.Json", [], { packageid: [term("acme.json", "acme", "json")] }],
  ["tag:a tags:b", [], { tags: [term("a"), term("b")] }],
  ["author:a authors:b", [], { authors: [term("a"), term("b")] }],
  ['owner:"Jane Roe"', [], { owners: [term("jane roe", "jane", "roe")] }],
  [
    "title:a summary:b description:c",
    [],
    { title: [term("a")], summary: [term("b")], description: [term("c")] },
  ],
  ["id:json fast", [term("fast")], { id: [term("json")] }],
  ["unknown:json", [term("unknown:json", "unknown", "json")], {}],
  ["version:1.0", [], { version: [term("1.0.0", "1", "0", "0")] }],
  ["Version:1.0.0.0+build", [], { version: [term("1.0.0", "1", "0", "0")] }],
  ["version:2.01-Beta.1", [], { version: [term("2.1.0-beta.1", "2", "1", "0", "beta", "1")] }],
  ["version:latest", [], { version: [term("latest")] }],
  ["id:", [term("id:", "id")], {}],
  ['id:"" x', [term('id:""', "id"), term("x")], {}],
  ["id::x", [], { id: [term(":x", "x")] }],
  ["C# %", [term("c#", "c")], {}],
  ['"open', [term('"open', "open")], {}],
  ["constructor:x", [term("constructor:x", "constructor", "x")], {}],
])("reads %j", (text, terms, qualified) => {
  expect(parseQueryText(text)).toEqual({ terms, qualified, isUnanswerable: false });
});

test.each(["%", "- *", '""', '"(" )'])("finds nothing for the signs %j", (text) => {
  expect(parseQueryText(text)).toEqual({ terms: [], qualified: {}, isUnanswerable: true });
});

test("keeps within its limits", () => {
  expect(parseQueryText("x ".repeat(100)).terms).toHaveLength(16);
  expect(parseQueryText("x".repeat(1000)).terms[0]?.words[0]).toHaveLength(64);
});
