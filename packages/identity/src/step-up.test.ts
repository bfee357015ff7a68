import { expect, test } from "vitest";
import { isStepUpRequired, mayRegisterPasskey } from "./step-up.ts";

const now = new Date("2026-01-01T12:00:00Z");
const MINUTE_MS = 60_000;

test.each([
  { age: undefined, isRequired: true },
  { age: 0, isRequired: false },
  { age: 9.9, isRequired: false },
  { age: 10, isRequired: true },
  { age: 11, isRequired: true },
  { age: -0.5, isRequired: false },
  { age: -5, isRequired: true },
])("a session that stepped up $age minutes ago: required $isRequired", ({ age, isRequired }) => {
  const steppedUpAt = age === undefined ? undefined : new Date(now.getTime() - age * MINUTE_MS);
  expect(isStepUpRequired({ steppedUpAt }, now)).toBe(isRequired);
});

const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);

test.each([
  { signedIn: 5, isFirst: true, isAllowed: true },
  { signedIn: 5, isFirst: true, canAskAgain: true, isAllowed: false },
  { signedIn: 60, steppedUp: 5, isFirst: true, canAskAgain: true, isAllowed: true },
  { signedIn: 10, isFirst: true, isAllowed: false },
  { signedIn: 5, isFirst: false, isAllowed: false },
  { signedIn: 60, steppedUp: 5, isFirst: false, isAllowed: true },
  { signedIn: 60, steppedUp: 11, isFirst: true, isAllowed: false },
])("a passkey $signedIn minutes after the sign-in, first $isFirst: $isAllowed", (one) => {
  const { signedIn, steppedUp, isFirst, canAskAgain = false, isAllowed } = one;
  const steppedUpAt = steppedUp === undefined ? undefined : ago(steppedUp);
  const session = { createdAt: ago(signedIn), steppedUpAt };
  expect(mayRegisterPasskey(session, { isFirst, canAskAgain, now })).toBe(isAllowed);
});
