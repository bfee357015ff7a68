import { expect, test } from "vitest";
import { SecretInEventError, withoutSecrets } from "./secret-guard.ts";

const withDetail = (detail: Record<string, unknown>) => ({
  type: "token.created" as const,
  detail,
});

test.each([
  [{ token: "x" }],
  [{ Password: "x" }],
  [{ client_secret: "x" }],
  [{ "X-Api-Key": "x" }],
  [{ target: { credentials: { user: "x" } } }],
  [{ list: [{ refreshToken: "x" }] }],
])("refuses %j", (detail) => {
  expect(() => withoutSecrets(withDetail(detail))).toThrow(SecretInEventError);
});

test.each([
  [{}],
  [{ tokenId: "x", tokenName: "laptop", secretary: "x" }],
  [{ tag: "token", scopes: ["read"], none: null }],
])("returns %j unchanged", (detail) => {
  const event = withDetail(detail);
  expect(withoutSecrets(event)).toBe(event);
});

test("accepts an event without detail", () => {
  expect(withoutSecrets({ type: "gc.completed" })).toEqual({ type: "gc.completed" });
});

test("refuses a detail that is too deep to check", () => {
  let detail: Record<string, unknown> = {};
  for (let depth = 0; depth < 20; depth += 1) detail = { inner: detail };
  expect(() => withoutSecrets(withDetail(detail))).toThrow(SecretInEventError);
});

test("names the key and not the value", () => {
  expect(() => withoutSecrets(withDetail({ pepper: "hot-value" }))).toThrow(
    expect.objectContaining({
      key: "pepper",
      message: expect.not.stringContaining("hot-value") as string,
    }),
  );
});
