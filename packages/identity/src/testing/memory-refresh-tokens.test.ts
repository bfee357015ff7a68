import { test } from "vitest";
import { createMemoryRefreshTokens, refreshTokensContract } from "./index.ts";

test.each(refreshTokensContract)("in memory: $name", ({ run }) => run(createMemoryRefreshTokens()));
