import { expect, test } from "vitest";
import { documentKey } from "./document-key.ts";
import { documentKindOf, storedDocumentKey } from "./document-path.ts";

test.each([
  ["/v3/package/Acme.Widgets/index.json", { type: "versions", id: "acme.widgets" }],
  ["/v3/registration/acme/index.json", { type: "registration", hive: "semver1", id: "acme" }],
  ["/v3/registration-gz/acme/index.json", { type: "registration", hive: "semver1", id: "acme" }],
  [
    "/v3/registration-gz-semver1/acme/index.json",
    { type: "registration", hive: "semver1", id: "acme" },
  ],
  [
    "/v3/registration-semver2/acme/index.json",
    { type: "registration", hive: "semver2", id: "acme" },
  ],
  [
    "/v3/registration-gz-semver2/ACME/index.json",
    { type: "registration", hive: "semver2", id: "acme" },
  ],
  [
    "/v3/registration/acme/1.0-Beta%2Bmeta.json",
    { type: "registration-leaf", hive: "semver1", id: "acme", version: "1.0.0-beta" },
  ],
  [
    "/v3/registration/acme/page/1.0/02.0.json",
    { type: "registration-page", hive: "semver1", id: "acme", lower: "1.0.0", upper: "2.0.0" },
  ],
])("reads %s", (path, kind) => expect(documentKindOf(path)).toEqual(kind));

test.each([
  "/",
  "/v3/index.json",
  "/v3/package/a..b/index.json",
  "/v3/package/acme/1.0.0/acme.1.0.0.nupkg",
  "/v3/registration-gz-semver3/acme/index.json",
  "/v3/registration/constructor/x/index.json",
  "/v3/registration/acme/nonsense.json",
  "/v3/registration/acme/%E0%A4%A.json",
  "/v3/registration/acme/page/1.0.0/x.json",
  "/v3/registration/acme/page/1.0.0.json",
  `/v3/registration/${"a".repeat(2000)}/index.json`,
])("finds no stored document at %s", (path) => {
  expect(documentKindOf(path)).toBeUndefined();
  expect(storedDocumentKey(path, "https://feed.example")).toBeUndefined();
});

test("keeps keys short, and different all the same, for very long names and addresses", () => {
  const kind = {
    type: "registration-page",
    hive: "semver2",
    id: "a".repeat(100),
    lower: `1.0.0-${"a".repeat(58)}`,
  } as const;
  const base = `https://${"sub.".repeat(60)}example`;
  const keys = ["b", "c"].map((end) =>
    documentKey({ ...kind, upper: `1.0.0-${"a".repeat(57)}${end}` }, base),
  );
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key.length).toBeLessThanOrEqual(400);
});

test("has one key per document and address, however the path is spelled", () => {
  const base = "https://feed.example";
  const key = (path: string, baseUrl = base) => storedDocumentKey(path, baseUrl);
  const index = key("/v3/registration-gz-semver2/acme/index.json");
  expect(key("/v3/registration-semver2/ACME/index.json")).toBe(index);
  expect(key("/v3/registration-gz-semver2/acme/index.json", "https://b.example")).not.toBe(index);
  const others = [
    "/v3/registration/acme/index.json",
    "/v3/package/acme/index.json",
    "/v3/registration-gz-semver2/acme/1.0.0.json",
    "/v3/registration-gz-semver2/acme/page/1.0.0/1.0.0.json",
    "/v3/registration-gz-semver2/acme2/index.json",
  ];
  expect(new Set([index, ...others.map((path) => key(path))]).size).toBe(6);
});
