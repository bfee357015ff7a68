import { test } from "vitest";
import { nugetPortsContract } from "./contract.ts";
import { createMemoryCatalog } from "./memory-catalog.ts";

for (const { name, run } of nugetPortsContract) {
  test(`the memory catalog ${name}`, () => run(createMemoryCatalog()));
}
