import { describe, test } from "vitest";
import { createMemoryLeases, leasesContract } from "./testing/index.ts";

describe("leases in memory", () => {
  test.each(leasesContract)("$name", async ({ run }) => {
    let time = 0;
    await run({ leases: createMemoryLeases(() => time), pass: (ms) => void (time += ms) });
  });
});
