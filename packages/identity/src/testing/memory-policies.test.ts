import type { TokenRecord } from "../ports.ts";
import { test } from "vitest";
import { createMemoryPolicies, policiesContract } from "./index.ts";

test.each(policiesContract)("in memory: $name", ({ run }) => {
  const tokens = new Map<string, TokenRecord>();
  const names = new Set<string>();
  const policies = createMemoryPolicies({
    tokens,
    isName: (protocol, name) => names.has(`${protocol}/${name}`),
  });
  return run({
    policies,
    others: policies,
    findToken: async (id) => tokens.get(id),
    async revokeToken(id) {
      const token = tokens.get(id);
      if (token) tokens.set(id, { ...token, revokedAt: new Date() });
    },
    async createName(protocol, name) {
      names.add(`${protocol}/${name}`);
    },
  });
});
