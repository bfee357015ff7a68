import { expect, test } from "vitest";
import { rawPathOf } from "./raw-path.ts";

test.each([
  ["http://host:1/v2/a%2Fb?x=/y#z", "/v2/a%2Fb"],
  ["https://host", "/"],
  ["/v2/", "/v2/"],
  ["/v2/a/../b?x=http://y/z", "/v2/a/../b"],
])("takes the raw path out of %s", (url, path) => {
  expect(rawPathOf(url)).toBe(path);
});
