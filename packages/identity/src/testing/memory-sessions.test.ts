import { test } from "vitest";
import type { SessionUser } from "../sessions/session.ts";
import { createMemorySessions, sessionsContract } from "./index.ts";

test.each(sessionsContract)("in memory: $name", async ({ run }) => {
  const users = new Map<string, SessionUser>();
  await run({
    sessions: createMemorySessions(users),
    addUser: async (user) => void users.set(user.id, user),
  });
});
