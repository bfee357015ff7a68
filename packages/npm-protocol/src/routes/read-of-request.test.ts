import { expect, test } from "vitest";
import { readOfRequest } from "./read-of-request.ts";

/** Undefined where no document answers. */
function documentOfRequest(...request: Parameters<typeof readOfRequest>) {
  const read = readOfRequest(...request);
  return read?.type === "document" ? read.document : undefined;
}

const registry = { basePath: "/npm", base: "https://registry.test/npm" };
const abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

test.each([
  ["/npm/demo", undefined, { name: "demo", form: "full" }],
  ["/npm/demo", abbreviated, { name: "demo", form: "abbreviated" }],
  ["/npm/demo?x=1", undefined, { name: "demo", form: "full" }],
  ["http://h/npm/@a%2Fb", undefined, { name: "@a/b", form: "full" }],
  ["/npm/demo/1.0.0", abbreviated, { name: "demo", form: "version", specifier: "1.0.0" }],
  ["/npm/demo/v1.0.0", undefined, { name: "demo", form: "version", specifier: "1.0.0" }],
  ["/npm/@a/b/latest", undefined, { name: "@a/b", form: "version", specifier: "latest" }],
])("a request for %s (%s) is for a kept document", (url, accept, expected) => {
  expect(documentOfRequest(url, accept, registry)).toMatchObject(expected);
});

test.each([
  "/npm/demo?write=true",
  "/npm/demo?a=b&write=true",
  "/npm",
  "/npm/",
  "/npm/-/ping",
  "/npm/-/v1/search?text=demo",
  "/npm/-/package/demo/dist-tags",
  "/npm/demo/-/demo-1.0.0.tgz",
  "/npm/demo/^1.0.0",
  "/npm/demo/1.x",
  "/npm/-/package/demo/dist-tags/latest",
  "/npm/-/package/demo/collaborators",
  "/npm/%00",
  "/other/demo",
])("a request for %s is for none", (url) => {
  expect(documentOfRequest(url, undefined, registry)).toBeUndefined();
});

test("gives one key to all spellings of a name, and another to every form and address", () => {
  const keyOf = (url: string, accept?: string, base = registry.base) =>
    documentOfRequest(url, accept, { basePath: "/npm", base })?.key;
  const spellings = ["/npm/@a/b", "/npm/@a%2fb", "/npm/@a%2Fb", "/npm/%40a/b", "/npm/@a%252fb"];
  expect(new Set(spellings.map((url) => keyOf(url))).size).toBe(1);
  const others = [
    keyOf("/npm/@a/b"),
    keyOf("/npm/@a/b", abbreviated),
    keyOf("/npm/@a/b", undefined, "http://other/npm"),
    keyOf("/npm/@a/b/1.0.0"),
    keyOf("/npm/@a/b/latest"),
    keyOf("/npm/@a/c"),
  ];
  expect(new Set(others).size).toBe(others.length);
});
