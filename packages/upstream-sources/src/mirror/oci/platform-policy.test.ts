import { digestOf } from "@sealhouse/oci-distribution";
import { expect, test } from "vitest";
import { isAllowedPlatform } from "./platform-policy.ts";

const digest = digestOf(Buffer.from("an image"));
const indexOf = (...systems: readonly unknown[]) => {
  const manifests = systems.map((os) => ({
    digest,
    ...(os !== undefined && { platform: { os } }),
  }));
  return Buffer.from(JSON.stringify({ manifests }));
};

test.each<[boolean, string, readonly Uint8Array[], readonly string[]]>([
  [true, "no policy", [indexOf("windows")], []],
  [true, "an allowed system", [indexOf("Linux")], ["linux"]],
  [false, "another system", [indexOf("windows")], ["linux"]],
  [true, "an attestation", [indexOf("unknown")], ["linux"]],
  [true, "no platform", [indexOf(undefined)], ["linux"]],
  [true, "no index", [], ["linux"]],
  [true, "another system in one of two indexes", [indexOf("windows"), indexOf("linux")], ["linux"]],
  [true, "an index without manifests", [Buffer.from('{"manifests":null}')], ["linux"]],
])("%s: %s", (isAllowed, _, indexes, allowedOs) => {
  expect(isAllowedPlatform(indexes, digest, allowedOs)).toBe(isAllowed);
});
