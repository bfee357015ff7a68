import { describe, test } from "vitest";
import { memoryAnswers, memoryJobs } from "./memory-ports.ts";
import { apiPortsContract } from "./ports-contract.ts";

describe("ports in memory", () => {
  test.each(apiPortsContract)("$name", async ({ run }) => {
    await run({ answers: memoryAnswers(), jobs: memoryJobs() });
  });
});
