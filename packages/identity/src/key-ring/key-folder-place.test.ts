import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { volatilePlaceOf } from "./key-folder-place.ts";

const isLinux = process.platform === "linux";

test.runIf(isLinux && existsSync("/dev/shm"))("recognizes a folder in memory", async () => {
  const folder = await mkdtemp(join("/dev/shm", "key-place-"));
  try {
    expect(await volatilePlaceOf(folder)).toBe("memory");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.runIf(isLinux).each([
  [0x01021994, "memory"],
  [0x858458f6, "memory"],
  [0x794c7630, "container-layer"],
  [0xef53, undefined],
])("a file system of type %d is %s", async (type, place) => {
  expect(await volatilePlaceOf("/keys", async () => type)).toBe(place);
});

test("nothing is known of a folder that does not exist", async () => {
  expect(await volatilePlaceOf("/does/not/exist")).toBeUndefined();
});
