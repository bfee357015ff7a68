import { expect, test } from "vitest";
import { isLastingToken, mayRegisterPasskey } from "./step-up.ts";

const now = new Date("2026-01-01T12:00:00Z");
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS);
const session = { endsAt: inDays(7) };

test.each([
  { scopes: ["read"], expiresAt: inDays(7), isLasting: false },
  { scopes: ["read"], expiresAt: inDays(8), isLasting: true },
  { scopes: ["read"], expiresAt: undefined, isLasting: true },
  { scopes: ["read", "publish"], expiresAt: undefined, isLasting: true },
  ...(["stage", "publish", "write", "delete", "admin"] as const).map((scope) => {
    return { scopes: ["read", scope], expiresAt: inDays(1), isLasting: true } as const;
  }),
] as const)(
  "a token with $scopes until $expiresAt lasts: $isLasting",
  ({ isLasting, ...token }) => {
    expect(isLastingToken(token, session)).toBe(isLasting);
  },
);

test.each([
  { signedIn: 5, isFirst: true, isAllowed: true },
  { signedIn: -0.5, isFirst: true, isAllowed: true },
  { signedIn: -5, isFirst: true, isAllowed: false },
  { signedIn: 5, isFirst: true, canAskAgain: true, isAllowed: false },
  { signedIn: 10, isFirst: true, isAllowed: false },
  { signedIn: 5, isFirst: false, isAllowed: false },
])("a passkey $signedIn minutes after the sign-in, first $isFirst: $isAllowed", (one) => {
  const { signedIn, isFirst, canAskAgain = false, isAllowed } = one;
  const createdAt = ago(signedIn);
  expect(mayRegisterPasskey({ createdAt }, { isFirst, canAskAgain, now })).toBe(isAllowed);
});
