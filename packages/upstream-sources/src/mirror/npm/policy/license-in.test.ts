import { expect, test } from "vitest";
import { requiresLicense } from "../../../policy/license-expression.ts";
import { licenseIn } from "./license-in.ts";

const url = "https://licenses.example";

test.each([
  [{ license: "GPL-3.0-only" }, true],
  [{ license: { type: "GPL-3.0-only", url } }, true],
  [{ license: { name: "GPL-3.0-only" } }, true],
  [{ license: ["GPL-3.0-only"] }, true],
  [{ license: [{ type: "GPL-3.0-only", url }] }, true],
  [{ licenses: "GPL-3.0-only" }, true],
  [{ licenses: { type: "GPL-3.0-only" } }, true],
  [{ licenses: ["GPL-3.0-only"] }, true],
  [{ licenses: [{ type: "GPL-3.0-only", url }] }, true],
  [{ licenses: [{ type: "GPL-2.0" }, { type: "AGPL-3.0-only" }] }, true],
  [{ license: "", licenses: [{ type: "GPL-3.0-only" }] }, true],
  [{ license: [{ url }], licenses: ["GPL-3.0-only"] }, true],
  [{ licenses: ["MIT AND GPL-3.0-only", "GPL-2.0"] }, true],
  [{ licenses: [{ type: "MIT" }, { type: "GPL-3.0-only" }] }, false],
  [{ license: ["MIT", "GPL-3.0-only"] }, false],
  [{ license: "MIT", licenses: ["GPL-3.0-only"] }, false],
  [{ license: 3, licenses: [null, {}, 5] }, false],
  [{}, false],
  [null, false],
])("a rule about GPL denies %j: %s", (manifest, isDenied) => {
  const license = licenseIn(manifest);
  expect(license !== undefined && requiresLicense(license, ["GPL-*", "AGPL-*"])).toBe(isDenied);
});
