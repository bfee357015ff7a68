import { describe } from "vitest";
import { createMemoryLeases, leasesContract } from "./testing/index.ts";

describe("leases in memory", () => {
  leasesContract(async () => {
    let time = 0;
    return {
      leases: createMemoryLeases(() => time),
      pass: (ms) => void (time += ms),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  });
});
