import { expect, test } from "vitest";
import { readEntries } from "./settings.ts";
import { unknownKeysOf } from "./unknown-keys.ts";

function warningsOf(env: Readonly<Record<string, string>>): readonly string[] {
  const { entries } = readEntries({ env, args: [], folders: [], readFile: () => undefined });
  return unknownKeysOf(entries, []);
}

test.each([
  ["Storage__Typ", "Storage__Type"],
  ["Feed__Oci__Default__Enable", "Feed__Oci__Default__Enabled"],
  ["Signing__SelfSigned__KeySizes", "Signing__SelfSigned__KeySize"],
  ["Host__TrustedProxy__0", "Host__TrustedProxies"],
  ["Databse__Type", "Database__Type"],
  ["DATABASES__TYPE", "Database__Type"],
  ["Sttorage__Path", "Storage__Path"],
  ["Feeed__PublicBaseUrl", "Feed__PublicBaseUrl"],
  ["Hosts__DataPath", "Host__DataPath"],
])("warns about the unknown key %s with %s", (key, near) => {
  const warnings = warningsOf({ [key]: "x" });
  expect(warnings).toEqual([expect.stringContaining(`did you mean ${near}?`)]);
});

test("ignores keys of other programs and of later versions", () => {
  const env = {
    npm__config: "x",
    Retention__MaxPrereleaseAgeDays: "3",
    Host__Authentication__Google__HostedDomain: "example.com",
    Host__TrustedProxies__0: "::1",
    ConnectionStrings__Main: "x",
    Postbox__Type: "x",
    Post__Type: "x",
  };
  expect(warningsOf(env)).toEqual([]);
});

test("ignores keys of storage types and signing modes whose package is not loaded", () => {
  const env = { Storage__AcmeTape__Drive: "x", Signing__AcmeVault__Slot: "x" };
  const { entries } = readEntries({ env, args: [], folders: [], readFile: () => undefined });
  const packages = {
    Signing__Mode: { AcmeVault: "@acme/vault" },
    Storage__Type: { AcmeTape: "@acme/tape" },
  };
  expect(unknownKeysOf(entries, [], packages)).toEqual([]);
  expect(unknownKeysOf(entries, [])).toHaveLength(2);
});
