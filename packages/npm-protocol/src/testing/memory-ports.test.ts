import { test } from "vitest";
import { createMemoryNpmPorts, npmPortsContract } from "./index.ts";

for (const { name, run } of npmPortsContract) {
  test(`the memory catalog ${name}`, () => run(createMemoryNpmPorts()));
}
