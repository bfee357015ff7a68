import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import type { Platforms } from "../wanted/join-wanted.ts";
import { otherPlatforms } from "./other-platforms.ts";

const PLATFORMS = {
  linux: { os: "linux", architecture: "amd64" },
  arm: { os: "linux", architecture: "arm64" },
  windows: { os: "windows", architecture: "amd64" },
  attestation: { os: "unknown", architecture: "unknown" },
  none: undefined,
};
const children = Object.entries(PLATFORMS).map(([name, platform]) => {
  const image = buildImage({ config: `{"of":"${name}"}` });
  return { ...image, name, descriptor: { ...image.descriptor, ...(platform && { platform }) } };
});
const index = buildIndex(children);

const CASES: readonly [Platforms, readonly string[]][] = [
  [{}, []],
  [{ os: ["linux"] }, ["windows"]],
  [{ os: ["win32"], cpu: ["x64"] }, ["linux", "arm"]],
  [{ cpu: ["arm64"] }, ["linux", "windows"]],
  [{ os: ["darwin"] }, ["linux", "arm", "windows"]],
];

test.each(CASES)("for %j, leaves out %j", (platforms, expected) => {
  const left = otherPlatforms(index, platforms).map(({ digest }) => digest);
  const names = children.filter(({ digest }) => left.includes(digest)).map(({ name }) => name);
  expect(names).toEqual(expected);
});

test("an image without an index has no other platforms", () => {
  expect(otherPlatforms(buildImage({ config: "{}" }), { os: ["darwin"] })).toEqual([]);
});
