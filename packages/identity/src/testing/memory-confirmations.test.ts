import { test } from "vitest";
import { confirmationsContract, createMemoryConfirmations } from "./index.ts";

test.each(confirmationsContract)("in memory: $name", ({ run }) => run(createMemoryConfirmations()));
