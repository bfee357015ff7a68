import { expect, test } from "vitest";
import { isStepUpRequired } from "./step-up.ts";

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
