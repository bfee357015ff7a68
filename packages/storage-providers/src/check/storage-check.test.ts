import { expect, test } from "vitest";
import { sufficientRate } from "./storage-check.ts";

const DAY_SECONDS = 24 * 60 * 60;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const THIRTY_DAYS = { verifyEveryMs: 30 * DAY_SECONDS * 1000 };

const usageOf = (bytes: Readonly<Record<"nuget" | "npm" | "oci", number>>) => ({
  usage: async (protocol: "nuget" | "npm" | "oci") => bytes[protocol],
});

test("reads all protocols within half of the interval", async () => {
  const bytes = { nuget: 500 * GIB, npm: 1_500 * GIB, oci: 30_000 * GIB };
  const rate = await sufficientRate(usageOf(bytes), THIRTY_DAYS);
  const seconds = (32_000 * GIB) / rate;
  expect(seconds).toBeLessThanOrEqual(15 * DAY_SECONDS);
  expect(seconds).toBeGreaterThan(14.9 * DAY_SECONDS);
});

test.each([
  ["a small storage", GIB],
  ["an empty storage", 0],
])("reads %s at 1 MiB per second", async (_, oci) => {
  expect(await sufficientRate(usageOf({ nuget: 0, npm: 0, oci }), THIRTY_DAYS)).toBe(MIB);
});

test("has a finite rate for an interval of zero", async () => {
  const rate = await sufficientRate(usageOf({ nuget: 0, npm: 0, oci: GIB }), { verifyEveryMs: 0 });
  expect(rate).toBe(2 * GIB);
});
