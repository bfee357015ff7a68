import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { loadConfig } from "./load.ts";

const [ONE, TWO, THREE] = ["http://one.test", "http://two.test/tsa", "https://three.test"];
const DEFAULT = "http://timestamp.digicert.com";
const PRODUCTION = {
  Host__TokenHashPepper: randomBytes(32).toString("base64"),
  Signing__Mode: "SelfSigned",
};

function timestampsOf(env: Readonly<Record<string, string>>) {
  const { signing } = loadConfig({ env: { ...PRODUCTION, ...env }, workingFolder: "/" }).config;
  if (signing.mode === "off") throw new Error("signing is off");
  return signing.timestamps;
}

test.each<[string, Record<string, string>, readonly string[]]>([
  ["nothing is set", {}, [DEFAULT]],
  ["one is named", { Signing__TimestampServerUrl: ONE }, [ONE]],
  ["it is blanked", { Signing__TimestampServerUrl: "" }, []],
  ["Development blanks it", { ASPNETCORE_ENVIRONMENT: "Development" }, []],
  [
    "several are named, not the one",
    { Signing__TimestampServerUrls__0: TWO, Signing__TimestampServerUrls__1: THREE },
    [TWO, THREE],
  ],
  [
    "several are named beside the one",
    { Signing__TimestampServerUrls__0: TWO, Signing__TimestampServerUrl: ONE },
    [ONE, TWO],
  ],
  [
    "several are named where Development blanks the one",
    { ASPNETCORE_ENVIRONMENT: "Development", Signing__TimestampServerUrls__0: TWO },
    [TWO],
  ],
  [
    "one is named twice",
    { Signing__TimestampServerUrls__0: ONE, Signing__TimestampServerUrl: ONE },
    [ONE],
  ],
])("when %s, asks these servers in this order", (_what, env, servers) => {
  expect(timestampsOf(env)).toEqual({ servers });
});

test("the policy for missing timestamps comes from the operator or from the mode", () => {
  expect(timestampsOf({}).failurePolicy).toBeUndefined();
  const timestamps = timestampsOf({ Signing__TimestampFailurePolicy: "fail" });
  expect(timestamps.failurePolicy).toBe("Fail");
  expect(() => timestampsOf({ Signing__TimestampFailurePolicy: "Ignore" })).toThrow(
    "Signing__TimestampFailurePolicy",
  );
  expect(() => timestampsOf({ Signing__TimestampServerUrls__0: "ftp://stamps" })).toThrow(
    "Signing__TimestampServerUrls__0",
  );
});
