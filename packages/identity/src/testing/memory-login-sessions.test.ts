import { test } from "vitest";
import { createMemoryLoginSessions, loginSessionsContract } from "./index.ts";

test.each(loginSessionsContract)("in memory: $name", ({ run }) => run(createMemoryLoginSessions()));
