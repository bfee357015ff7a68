import { test } from "vitest";
import { createMemorySignInFailures, signInFailuresContract } from "./index.ts";

test.each(signInFailuresContract)("in memory: $name", ({ run }) =>
  run(createMemorySignInFailures()),
);
