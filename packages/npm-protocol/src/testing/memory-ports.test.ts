import { test } from "vitest";
import {
  createMemoryNpmPorts,
  createMemoryNpmTeams,
  npmPortsContract,
  npmTeamsContract,
} from "./index.ts";

for (const { name, run } of npmPortsContract) {
  test(`the memory catalog ${name}`, () => run(createMemoryNpmPorts()));
}

test.each(npmTeamsContract)("the memory teams: $name", async ({ run }) => {
  const { lookup, recorder } = createMemoryNpmPorts();
  await run({ recorder, ...createMemoryNpmTeams((name) => lookup.has(name)) });
});
