import { expect, test } from "vitest";
import { createSettings, readSources } from "@sealhouse/settings";
import { parseOciSeal } from "./parse-seal.ts";
import { OCI_SEAL_SETTINGS } from "./seal-table.ts";

function parsed(env: Readonly<Record<string, string>>) {
  const sources = { environmentKey: "App__Environment", args: [], folders: [] };
  const table = OCI_SEAL_SETTINGS;
  const { entries } = readSources({ ...sources, table, env, readFile: () => undefined });
  const settings = createSettings(entries, { table, env });
  return { seal: parseOciSeal(settings), problems: settings.problems.join() };
}
const sealOf = (env: Readonly<Record<string, string>>) => parsed(env).seal;

test("images are signed in the configured formats when signing is enabled", () => {
  expect(sealOf({})).toBeUndefined();
  expect(sealOf({ Signing__Oci__Formats__0: "Notation" })).toBeUndefined();
  const on = { Signing__Oci__Enabled: "true" };
  expect(sealOf(on)).toEqual({ formats: ["cosign", "notation"], platforms: false });
  const formats = { Signing__Oci__Formats__0: "cosignbundle", Signing__Oci__Formats__1: "Cosign" };
  expect(sealOf({ ...on, ...formats, Signing__Oci__Platforms: "true" })).toEqual({
    formats: ["bundle", "cosign"],
    platforms: true,
  });
  expect(parsed({ ...on, Signing__Oci__Formats__0: "pgp" }).problems).toMatch(
    /Signing__Oci__Formats__0.*Notation/,
  );
});
