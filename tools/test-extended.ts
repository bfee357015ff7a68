// The long tests of `extended-tests.ts`: `pnpm test:extended`, with options of vitest after it.
import { EXTENDED, LENGTHS } from "./extended-tests.ts";
import { runStep } from "./run-step.ts";

const passed = await runStep({
  name: "extended tests",
  command: "vitest",
  args: ["run", ...EXTENDED, ...process.argv.slice(2)],
  env: LENGTHS,
});
process.exitCode = passed ? 0 : 1;
