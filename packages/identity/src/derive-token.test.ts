import { expect, test } from "vitest";
import type { ParentToken } from "./derive-token.ts";
import { coversToken, deriveToken } from "./derive-token.ts";
import { TokenSettingError } from "./errors.ts";
import { createTestRandom, TEST_PEPPER } from "./testing/index.ts";

const now = new Date("2026-01-01T00:00:00Z");
const soon = new Date("2026-02-01T00:00:00Z");
const late = new Date("2027-01-01T00:00:00Z");
const making = { pepper: TEST_PEPPER, now, random: createTestRandom() };

function parent(fields: Partial<ParentToken> = {}): ParentToken {
  const unlimited = { protocols: [], patterns: [], networks: [] } as const;
  return { tokenId: "t-1", name: "alice", scopes: ["read", "write"], ...unlimited, ...fields };
}

test("a child token has the same owner and the id of its parent", () => {
  const { token, record } = deriveToken(parent(), { name: "ci", scopes: ["read"] }, making);
  expect(token).toMatch(/^shp_/);
  expect(record).toMatchObject({ name: "ci", owner: "alice", parentId: "t-1", scopes: ["read"] });
});

test.each([["read"], ["publish"], ["read", "publish"], ["stage"], ["stage", "publish"]] as const)(
  "a token with the scopes %s %s cannot create tokens",
  (...scopes) => {
    const child = { name: "ci", scopes: ["read"] } as const;
    const derive = () => deriveToken(parent({ scopes: scopes.filter(Boolean) }), child, making);
    expect(derive).toThrow(expect.objectContaining({ setting: "parent" }));
  },
);

test("empty lists of a child take the values of its parent", () => {
  const limits = {
    scopes: ["read", "write"],
    protocols: ["npm"],
    patterns: ["@acme/*"],
    networks: ["10.0.0.0/8"],
    expiresAt: soon,
  } as const;
  const empty = { name: "ci", protocols: [], patterns: [], networks: [] };
  expect(deriveToken(parent(limits), empty, making).record).toMatchObject(limits);
});

test.each([
  [soon, late, soon],
  [late, soon, soon],
  [undefined, soon, soon],
  [soon, undefined, soon],
  [undefined, undefined, undefined],
])("with a parent until %s, a child until %s expires %s", (parents, expiry, ends) => {
  const made = deriveToken(
    parent({ expiresAt: parents }),
    { name: "ci", expiresAt: expiry },
    making,
  );
  expect(made.record.expiresAt).toEqual(ends);
});

test.each([
  [{ scopes: ["read", "stage"] }, { scopes: ["write"] }, "scopes"],
  [{ scopes: ["read", "write", "delete"] }, { scopes: ["admin"] }, "scopes"],
  [{ scopes: ["read", "delete"] }, { scopes: ["stage"] }, "scopes"],
  [{ protocols: ["npm"] }, { protocols: ["npm", "oci"] }, "protocols"],
  [{ patterns: ["@acme/*"] }, { patterns: ["@acme/*", "left-pad"] }, "patterns"],
  [{ patterns: ["@acme/*"] }, { patterns: ["**"] }, "patterns"],
  [{ patterns: ["@acme/*"] }, { patterns: ["@acme/**"] }, "patterns"],
  [{ patterns: ["*"] }, { patterns: ["**"] }, "patterns"],
  [{ patterns: ["team/*"] }, { patterns: ["team/**"] }, "patterns"],
  [{ patterns: ["ab*"] }, { patterns: ["a*"] }, "patterns"],
  [{ networks: ["10.0.0.0/8"] }, { networks: ["0.0.0.0/0"] }, "networks"],
  [{ networks: ["10.1.0.0/16"] }, { networks: ["10.0.0.0/8"] }, "networks"],
  [{ networks: ["10.0.0.0/8"] }, { networks: ["::/0"] }, "networks"],
] as const)("a token of %j cannot create one of %j", (limits, child, setting) => {
  const make = () => deriveToken(parent(limits), { name: "ci", ...child }, making);
  expect(make).toThrow(expect.objectContaining({ name: "TokenSettingError", setting }) as Error);
  expect(make).toThrow(TokenSettingError);
});

test.each([
  [{ scopes: ["admin"] }, { scopes: ["read", "stage", "write", "delete", "admin"] }],
  [{ scopes: ["write"] }, { scopes: ["stage"] }],
  [{ protocols: ["npm", "oci"] }, { protocols: ["oci"] }],
  [{ patterns: ["@acme/*"] }, { patterns: ["@acme/*", "@acme/ui-*", "@acme/tool"] }],
  [{ patterns: ["team/**"] }, { patterns: ["team", "team/**", "team/app/*", "team/app/**"] }],
  [{ patterns: ["**"] }, { patterns: ["*", "**", "@acme/*"] }],
  [{ networks: ["10.0.0.0/8"] }, { networks: ["10.1.0.0/16", "10.0.0.1"] }],
  [{ networks: ["2001:db8::/32"] }, { networks: ["2001:db8:1::/48"] }],
] as const)("a token of %j can create one of %j", (limits, child) => {
  const made = deriveToken(parent(limits), { name: "ci", ...child }, making);
  expect(made.record).toMatchObject(child);
});

test("a narrow token cannot create tokens with the scope admin", () => {
  const derive = (limits: Partial<ParentToken>) =>
    deriveToken(parent({ scopes: ["read", "admin"], ...limits }), { name: "ci" }, making).record;
  expect(derive({}).scopes).toContain("admin");
  for (const limits of [{ patterns: ["@acme/*"] }, { networks: ["10.0.0.0/8"] }]) {
    expect(() => derive(limits)).toThrow(expect.objectContaining({ setting: "scopes" }) as Error);
  }
});

test("a token covers tokens with the same or fewer permissions", () => {
  const narrow = parent({ scopes: ["read"], patterns: ["@acme/*"] });
  expect(coversToken(parent(), narrow)).toBe(true);
  expect(coversToken(parent(), parent({ expiresAt: late }))).toBe(true);
  expect(coversToken(narrow, parent())).toBe(false);
});
