import { expect, test } from "vitest";
import { loadConfig } from "./load.ts";

const sealOf = (env: Readonly<Record<string, string>>) =>
  loadConfig({ env: { ASPNETCORE_ENVIRONMENT: "Development", ...env }, workingFolder: "/" }).config
    .ociSeal;

test("images are sealed where that is switched on, in the formats that are asked for", () => {
  expect(sealOf({})).toBeUndefined();
  expect(sealOf({ Signing__Oci__Formats__0: "Notation" })).toBeUndefined();
  const on = { Signing__Oci__Enabled: "true" };
  expect(sealOf(on)).toEqual({ formats: ["cosign", "notation"], platforms: false });
  const formats = { Signing__Oci__Formats__0: "cosignbundle", Signing__Oci__Formats__1: "Cosign" };
  expect(sealOf({ ...on, ...formats, Signing__Oci__Platforms: "true" })).toEqual({
    formats: ["bundle", "cosign"],
    platforms: true,
  });
  expect(() => sealOf({ ...on, Signing__Oci__Formats__0: "pgp" })).toThrow(
    /Signing__Oci__Formats__0.*Notation/,
  );
});
