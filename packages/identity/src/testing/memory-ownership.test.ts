import { test } from "vitest";
import { createMemoryOwnership } from "./memory-ownership.ts";
import { ownershipContract } from "./ownership-contract.ts";

test.each(ownershipContract)("in memory: $name", ({ run }) => run(createMemoryOwnership()));
