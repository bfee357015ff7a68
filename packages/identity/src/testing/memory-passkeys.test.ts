import { test } from "vitest";
import { createMemoryPasskeys, passkeysContract } from "./index.ts";

test.each(passkeysContract)("in memory: $name", ({ run }) => run(createMemoryPasskeys()));
