import type { Protocol } from "@sealhouse/request-types";
import { expect, test } from "vitest";
import type { Action, RequiredAccess } from "./authorize.ts";
import { authorize } from "./authorize.ts";
import type { Scope } from "./ports.ts";
import type { Principal } from "./principal.ts";

const now = new Date("2026-01-01T00:00:00Z");
const address = "192.0.2.1";

function principal(fields: Partial<Principal> = {}): Principal {
  const unlimited = { protocols: [], patterns: [], networks: [] };
  return { tokenId: "t-1", name: "ci", scopes: ["read", "write"], ...unlimited, ...fields };
}

function createRequest(fields: Partial<RequiredAccess> = {}): RequiredAccess {
  return { protocol: "npm", action: "write", now, address, anonymousPull: false, ...fields };
}

const table: readonly [readonly Scope[], Protocol, Action, boolean][] = [
  [["read"], "nuget", "read", true],
  [["read"], "npm", "read", true],
  [["read"], "oci", "read", true],
  [["read"], "npm", "write", false],
  [["read"], "npm", "delete", false],
  [["write"], "npm", "write", true],
  [["write"], "npm", "read", false],
  [["write"], "nuget", "read", false],
  [["write"], "oci", "read", true],
  [["write"], "nuget", "delete", false],
  [["delete"], "nuget", "delete", true],
  [["delete"], "oci", "read", false],
  [["read", "write", "delete"], "npm", "admin", false],
  [["admin"], "nuget", "read", true],
  [["admin"], "npm", "write", true],
  [["admin"], "oci", "delete", true],
  [["admin"], "oci", "admin", true],
  [["stage"], "npm", "stage", true],
  [["stage"], "npm", "write", false],
  [["write"], "npm", "stage", true],
  [["read", "delete"], "npm", "stage", false],
  [["publish"], "npm", "publish", true],
  [["publish"], "npm", "write", false],
  [["publish"], "npm", "stage", false],
  [["publish"], "npm", "delete", false],
  [["publish"], "npm", "read", false],
  [["write"], "npm", "publish", true],
  [["stage"], "npm", "publish", false],
  [["write"], "npm", "manage", true],
  [["admin"], "npm", "manage", true],
  [["read", "delete"], "npm", "manage", false],
  [["publish"], "npm", "manage", false],
  [["stage"], "npm", "manage", false],
];
test.each(table)("the scopes %j allow %s %s: %s", (scopes, protocol, action, granted) => {
  const decision = authorize(principal({ scopes }), createRequest({ protocol, action }));
  expect(decision.status).toBe(granted ? "granted" : "denied");
});

test("a publish token reads its package and no others", () => {
  const publisher = principal({ scopes: ["publish"], patterns: ["@acme/demo"] });
  const see = (name: string | undefined, protocol: Protocol = "npm") =>
    authorize(publisher, createRequest({ protocol, action: "read", name })).status;
  expect(see("@acme/demo")).toBe("granted");
  expect(see("@acme/other")).toBe("denied");
  expect(see(undefined)).toBe("denied");
  expect(see("@acme/demo", "nuget")).toBe("denied");
});

test("a granted decision contains the actor and the address", () => {
  expect(authorize(principal(), createRequest())).toEqual({
    status: "granted",
    caller: { actor: "ci", tokenId: "t-1", address },
  });
});

test.each([
  ["read", true, "granted"],
  ["read", false, "anonymous"],
  ["write", true, "anonymous"],
  ["delete", true, "anonymous"],
  ["admin", true, "anonymous"],
] as const)(
  "anonymous callers cannot %s when reading is public (%s): %s",
  (action, anonymousPull, status) => {
    expect(authorize(undefined, createRequest({ action, anonymousPull })).status).toBe(status);
  },
);

test("a limited token can read what anonymous callers can read", () => {
  const narrow = principal({ scopes: ["write"], protocols: ["oci"], patterns: ["team/*"] });
  const reading = { action: "read", name: "left-pad" } as const;
  expect(authorize(narrow, createRequest({ ...reading, anonymousPull: true })).status).toBe(
    "granted",
  );
  expect(authorize(narrow, createRequest(reading)).status).toBe("denied");
});

test.each([
  [{ expiresAt: now }, {}, /expired/],
  [{ scopes: ["read"] }, {}, /scope write/],
  [{ protocols: ["nuget"] }, {}, /not valid for npm/],
  [{ networks: ["10.0.0.0/8"] }, {}, /network address/],
  [{ networks: ["192.0.2.0/24"] }, { address: undefined }, /network address/],
  [{ patterns: ["@acme/*", "tool"] }, { name: "left-pad" }, /does not cover the name left-pad/],
] as const)("the limits %j refuse %j", (limits, fields, reason) => {
  const decision = authorize(principal(limits), createRequest(fields));
  expect(decision).toEqual({ status: "denied", reason: expect.stringMatching(reason) as string });
});

test.each([
  [{ patterns: ["@acme/*"] }, "denied"],
  [{ protocols: ["npm"] }, "granted"],
  [{ networks: ["192.0.2.0/24"] }, "denied"],
  [{ scopes: ["admin"], patterns: ["@acme/*"] }, "denied"],
  [{ expiresAt: new Date("2026-02-01T00:00:00Z") }, "granted"],
] as const)("the limits %j for owners, trust and visibility: %s", (limits, status) => {
  const managing = createRequest({ action: "manage", name: "@acme/demo" });
  const decision = authorize(principal(limits), managing);
  expect(decision.status).toBe(status);
  if (decision.status !== "denied") return;
  expect(decision.reason).toContain("sealhouse token create");
  expect(authorize(principal(limits), { ...managing, action: "write" }).status).toBe("granted");
});

test.each([
  [{ expiresAt: new Date("2026-01-01T00:00:01Z") }, {}],
  [{ protocols: ["nuget", "npm"] }, {}],
  [{ networks: ["10.0.0.0/8", "192.0.2.0/24"] }, {}],
  [{ patterns: ["@acme/*", "tool"] }, { name: "tool" }],
  [{ patterns: ["@acme/*"] }, {}],
] as const)("the limits %j allow %j", (limits, fields) => {
  expect(authorize(principal(limits), createRequest(fields)).status).toBe("granted");
});
