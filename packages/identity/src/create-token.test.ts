import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createToken } from "./create-token.ts";
import { TokenSettingError } from "./errors.ts";
import { createTestRandom, createTestToken, TEST_PEPPER, tokenRecord } from "./testing/index.ts";
import { hashToken, isTokenOf } from "./token-hash.ts";

const now = new Date("2026-01-01T00:00:00Z");
const making = { pepper: TEST_PEPPER, now, random: createTestRandom() };

test("the record contains the settings and not the token", () => {
  const expiresAt = new Date("2027-01-01T00:00:00Z");
  const limits = { protocols: ["npm" as const], patterns: ["@acme/*"], networks: ["10.0.0.0/8"] };
  const { token, record } = createToken(
    { name: " laptop ", scopes: ["read", "write", "read"], ...limits, expiresAt },
    making,
  );
  expect(record).toEqual({
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    name: "laptop",
    prefix: token.slice(0, 12),
    hash: hashToken(token, TEST_PEPPER),
    scheme: 1,
    scopes: ["read", "write"],
    ...limits,
    createdAt: now,
    expiresAt,
  });
  expect(JSON.stringify(record)).not.toContain(token.slice(12));
});

test("every token is unique", () => {
  const [one, two] = [createTestToken(), createTestToken()];
  expect(one.token).not.toBe(two.token);
  expect(one.record.id).not.toBe(two.record.id);
});

test.each([
  ["name", { name: "" }],
  ["name", { name: "  " }],
  ["name", { name: "two\nlines" }],
  ["name", { name: "x".repeat(101) }],
  ["scopes", { scopes: [] }],
  ["patterns", { patterns: ["a b"] }],
  ["networks", { networks: ["10.0.0.0/33"] }],
  ["expires", { expiresAt: now }],
] as const)("refuses an invalid %s: %j", (setting, fields) => {
  const newToken = { name: "ok", scopes: ["read"] as const, ...fields };
  expect(() => createToken(newToken, making)).toThrow(expect.objectContaining({ setting }));
  expect(() => createToken(newToken, making)).toThrow(TokenSettingError);
});

test("a hash matches only under the same pepper", () => {
  const { token, record } = createTestToken();
  expect(isTokenOf(hashed(token), record, TEST_PEPPER)).toBe(true);
  const otherPepper = `${TEST_PEPPER}!`;
  expect(isTokenOf(hashed(token, otherPepper), record, otherPepper)).toBe(false);
  expect(isTokenOf(hashed(`${token}0`), record, TEST_PEPPER)).toBe(false);
  const cut = { ...record, hash: record.hash.slice(1) };
  expect(isTokenOf(hashed(token), cut, TEST_PEPPER)).toBe(false);
});

test("an imported token matches SHA-256 of token and pepper", () => {
  const text = "00112233445566778899aabbccddeeff";
  const hash = createHash("sha256").update(`${text}${TEST_PEPPER}`).digest("hex");
  expect(isTokenOf(hashed(text), tokenRecord({ hash, scheme: 0 }), TEST_PEPPER)).toBe(true);
  expect(isTokenOf(hashed(text), tokenRecord({ hash, scheme: 1 }), TEST_PEPPER)).toBe(false);
  expect(isTokenOf(hashed(text), tokenRecord({ hash, scheme: 2 }), TEST_PEPPER)).toBe(false);
});

function hashed(text: string, pepper = TEST_PEPPER): { text: string; hash: string } {
  return { text, hash: hashToken(text, pepper) };
}
