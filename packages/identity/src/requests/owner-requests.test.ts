import { expect, test } from "vitest";
import type { OwnerRefusal } from "../ownership/name-rules.ts";
import type { NameStanding } from "../ownership/name-standing.ts";
import type { Principal } from "../principal.ts";
import { openRequestDecisions } from "./identification.ts";
import { openAccess } from "./request-access.ts";
import type { Target } from "./request-access.ts";

const ALICE = { id: "a", handle: "alice", role: "publisher", state: "active" } as const;
const OPERATOR: Principal = {
  tokenId: "t",
  name: "ci",
  scopes: ["read", "write"],
  protocols: [],
  patterns: [],
  networks: [],
};
const STRANGER: NameStanding = {
  exists: true,
  owners: ["bob"],
  isOwned: true,
  reservation: "none",
  mayCreate: true,
};

/** Decides one request, with what it asked and reported. */
async function decideFor(
  mode: "report" | "enforce",
  principal: Principal | undefined,
  access: Pick<Target, "action" | "name">,
  standing = STRANGER,
) {
  const asked: string[] = [];
  const reported: OwnerRefusal[] = [];
  const names = {
    mode,
    newNames: "anyone",
    ownerships: {
      standing: async ({ name }: { readonly name: string }, holderId: string) => {
        asked.push(`${holderId} ${name}`);
        return standing;
      },
    },
    report: (refusal: OwnerRefusal) => void reported.push(refusal),
  } as const;
  const rules = { anonymousPull: true, now: () => new Date(), names };
  const identified = principal
    ? ({ status: "principal", principal } as const)
    : ({ status: "none" } as const);
  const origin = { id: "r", decisions: openRequestDecisions() };
  const target = { protocol: "nuget", ...access } as const;
  const opened = await openAccess(rules, { origin, identified, names: target, hasHidden: false });
  const decision = await opened.owned(target);
  return { decision, asked, reported };
}

const USER: Principal = { ...OPERATOR, user: ALICE };
const NAMED = { action: "write", name: "Acme" } as const;

test.each([
  ["a read without a token", undefined, { action: "read", name: "Acme" }, []],
  ["a read of a user", USER, { action: "read", name: "Acme" }, []],
  ["a push before its name is known", USER, { action: "write", name: undefined }, []],
  ["a push of the operators", OPERATOR, NAMED, []],
  ["a push of an administrator", { ...USER, user: { ...ALICE, role: "administrator" } }, NAMED, []],
  ["a push that the scope forbids", { ...USER, scopes: ["read"] }, NAMED, []],
  ["a push of a user", USER, NAMED, ["a acme"]],
  ["a push of a service account", { ...OPERATOR, serviceAccountId: "s" }, NAMED, ["s acme"]],
  ["a push of a policy", { ...OPERATOR, policyId: "p" }, NAMED, ["p acme"]],
] as const)("%s looks up owners only where they decide", async (_, principal, access, expected) => {
  expect((await decideFor("enforce", principal, access)).asked).toEqual(expected);
});

test("refuses strangers in the mode enforce, and reports them in the mode report", async () => {
  const reason = "Acme belongs to other owners, and only they publish it.";
  const enforced = await decideFor("enforce", USER, NAMED);
  expect(enforced.decision).toEqual({ status: "denied", reason });
  expect(enforced.reported).toEqual([]);
  const reporting = await decideFor("report", USER, NAMED);
  expect(reporting.decision.status).toBe("granted");
  expect(reporting.reported).toMatchObject([{ name: "acme", action: "write", reason }]);
});

test("tells the recorder who owns the name", async () => {
  const owner = { ...STRANGER, level: "publish" } as const;
  const { decision } = await decideFor("enforce", USER, NAMED, owner);
  expect(decision).toMatchObject({
    status: "granted",
    caller: { holderId: "a", ownedName: { isNew: false, owners: ["bob"] } },
  });
});
