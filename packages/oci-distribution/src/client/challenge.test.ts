import { expect, test } from "vitest";
import { parseChallenges } from "./challenge.ts";

const bearer = { scheme: "bearer", realm: "https://a.test/token", service: "a", scopes: [] };

test.each<[string, string | null, readonly unknown[]]>([
  ["nothing", null, []],
  ["empty", "", []],
  ["basic", 'Basic realm="x"', [{ scheme: "basic" }]],
  ["no realm", 'Bearer service="a"', []],
  ["bare values", "bearer realm=x,service=a", [{ ...bearer, realm: "x" }]],
  ["bearer", 'Bearer realm="https://a.test/token",service="a"', [bearer]],
  [
    "scopes",
    'Bearer realm="https://a.test/token", service="a", scope="repository:a:pull,push b"',
    [{ ...bearer, scopes: ["repository:a:pull,push", "b"] }],
  ],
  ["quoted pairs", 'Bearer realm="a\\"b",service="a"', [{ ...bearer, realm: 'a"b' }]],
  [
    "several, the bearer first",
    'Negotiate, Basic realm="x, Bearer y", Bearer realm="https://a.test/token",service="a"',
    [bearer, { scheme: "basic" }],
  ],
  ["nonsense", '=,,"', []],
  ["a scheme that is no word", 'Bearer realm="https://a.test/token', []],
])("reads %s", (_, header, expected) => {
  expect(parseChallenges(header)).toEqual(expected);
});
