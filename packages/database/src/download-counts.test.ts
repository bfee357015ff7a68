import { expect, test } from "vitest";
import { openDownloadCounts } from "./download-counts.ts";
import type { Downloads } from "./download-counts.ts";

test("counts in memory and writes once, also at disposal", async () => {
  const written: (readonly Downloads[])[] = [];
  const counts = openDownloadCounts({
    write: async (batch) => void written.push(batch),
    onError: () => undefined,
  });
  counts.add("nuget", "acme", "1.0.0");
  counts.add("nuget", "acme", "1.0.0");
  counts.add("npm", "acme", "1.0.0");
  expect(written).toEqual([]);
  await counts.flush();
  await counts.flush();
  counts.add("npm", "acme", "2.0.0");
  await counts[Symbol.asyncDispose]();
  expect(written).toEqual([
    [
      { protocol: "nuget", name: "acme", version: "1.0.0", count: 2 },
      { protocol: "npm", name: "acme", version: "1.0.0", count: 1 },
    ],
    [{ protocol: "npm", name: "acme", version: "2.0.0", count: 1 }],
  ]);
});

test("retries failed writes later", async () => {
  let fails = true;
  const written: Downloads[] = [];
  const errors: unknown[] = [];
  const counts = openDownloadCounts({
    write: async (batch) => {
      if (fails) throw new Error("away");
      written.push(...batch);
    },
    onError: (error) => errors.push(error),
  });
  counts.add("nuget", "acme", "1.0.0");
  await counts.flush();
  counts.add("nuget", "acme", "1.0.0");
  fails = false;
  await counts.flush();
  expect(errors).toHaveLength(1);
  expect(written).toEqual([{ protocol: "nuget", name: "acme", version: "1.0.0", count: 2 }]);
});
