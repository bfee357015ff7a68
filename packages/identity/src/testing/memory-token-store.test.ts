import { test } from "vitest";
import { createMemoryTokenStore, tokenStoreContract } from "./index.ts";

test.each(tokenStoreContract)("in memory: $name", ({ run }) => run(createMemoryTokenStore()));
