import { expect, test } from "vitest";
import { nameFormsOf } from "./name-forms.ts";

const scoped = (...parts: string[]) => ({ isScoped: true, parts });
const unscoped = (...parts: string[]) => ({ isScoped: false, parts });

test.each([
  ["left-pad", [unscoped("left-pad")]],
  ["acme-*", [unscoped("acme-", "")]],
  ["@acme/*", [scoped("@acme/", "")]],
  ["@acme/**", [unscoped("@acme"), scoped("@acme/", "")]],
  ["*/*", [scoped("", "/", "")]],
  ["*", [unscoped("", "")]],
  ["**", [unscoped("", ""), scoped("", "/", "")]],
  ["a**b*c", [unscoped("a", "b", "c"), scoped("a", "/", "b", "c")]],
  ["team/app/*", []],
])("%s covers the forms %j", (pattern, forms) => {
  expect(nameFormsOf([pattern])).toEqual(forms);
});

test("limits the number of forms, and names each once", () => {
  expect(nameFormsOf(["a*", "a*"])).toHaveLength(1);
  const patterns = Array.from({ length: 100 }, (_, index) => `${"**x".repeat(80)}${index}`);
  expect(nameFormsOf(patterns)).toHaveLength(500);
});
