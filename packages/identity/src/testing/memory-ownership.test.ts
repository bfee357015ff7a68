import { expect, test } from "vitest";
import { endedDelegations } from "../ownership/delegations.ts";
import { createMemoryOwnership } from "./memory-ownership.ts";
import { ownershipContract } from "./ownership-contract.ts";

test.each(ownershipContract)("in memory: $name", ({ run }) => run(createMemoryOwnership()));

const reservation = (pattern: string, ownerId: string, delegatedFrom?: string) => ({
  protocol: "nuget" as const,
  pattern,
  isPrefix: true,
  owner: { id: ownerId },
  ...(delegatedFrom !== undefined && { delegatedFrom }),
});

/** Two wide reservations, and delegations from before each of them needed a wider one. */
const RESERVATIONS = [
  reservation("zeta.", "ada"),
  reservation("zeta.web.", "bob", "ada"),
  reservation("zeta.web.ui.", "carl", "bob"),
  reservation("acme.tools.", "bob", "dan"),
  reservation("acme.tools.x.", "carl", "bob"),
  reservation("eta.", "ada"),
];

test.each([
  { removed: "zeta.", ended: ["zeta.web.", "zeta.web.ui."] },
  { removed: "zeta.web.", ended: ["zeta.web.ui."] },
  { removed: "eta.", ended: [] },
  { removed: "acme.tools.", ended: ["acme.tools.x."] },
])("without $removed end only $ended", ({ removed, ended }) => {
  const named = RESERVATIONS.find(({ pattern }) => pattern === removed);
  if (!named) throw new Error(`${removed} is not reserved`);
  const patterns = endedDelegations(RESERVATIONS, named).map(({ pattern }) => pattern);
  expect(patterns).toEqual(ended);
});
