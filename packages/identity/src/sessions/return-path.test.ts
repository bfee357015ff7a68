import { expect, test } from "vitest";
import { parseReturnPath } from "./return-path.ts";

test.each([
  ["/", "/"],
  ["/packages/Acme?versions=2", "/packages/Acme?versions=2"],
  ["/npm-packages/@acme/app#readme", "/npm-packages/@acme/app"],
  [null, "/"],
  ["", "/"],
  ["packages", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["\\/evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["/\n/evil.example", "/"],
  [" //evil.example", "/"],
  ["https:evil.example", "/"],
  ["https://evil.example/", "/"],
  ["javascript:alert(1)", "/"],
  ["/..//evil.example", "/"],
  ["/%2e%2e//evil.example", "/"],
  ["/./\u0085/evil.example", "/"],
  [`/${"x".repeat(2_000)}`, "/"],
  // Browsers keep an encoded tab, so this is a path here.
  ["/%09/evil.example", "/%09/evil.example"],
])("%j returns to %s", (text, path) => {
  expect(parseReturnPath(text)).toBe(path);
});
