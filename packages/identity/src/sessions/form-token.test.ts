import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { isFormToken, makeFormToken } from "./form-token.ts";

const FORM = { key: "session-secret", purpose: "sign-out" };

test("a form token is valid for its session and purpose, and different each time", () => {
  const [one, other] = [makeFormToken(FORM, randomBytes), makeFormToken(FORM, randomBytes)];
  expect(one).not.toBe(other);
  const [bytes, others] = [Buffer.from(one, "base64url"), Buffer.from(other, "base64url")];
  expect(bytes.filter((byte, index) => byte === others[index]).length).toBeLessThan(10);
  expect([isFormToken(one, FORM), isFormToken(other, FORM)]).toEqual([true, true]);
});

test.each([
  ["of another session", (token: string) => isFormToken(token, { ...FORM, key: "other" })],
  ["of another purpose", (token: string) => isFormToken(token, { ...FORM, purpose: "delete" })],
  ["cut", (token: string) => isFormToken(token.slice(0, -2), FORM)],
  ["changed", (token: string) => isFormToken(`${token.slice(0, -4)}AAAA`, FORM)],
  ["without text", () => isFormToken("", FORM)],
])("a form token %s is not valid", (_, check) => {
  expect(check(makeFormToken(FORM, randomBytes))).toBe(false);
});
