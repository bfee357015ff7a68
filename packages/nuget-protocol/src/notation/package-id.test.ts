import { expect, test } from "vitest";
import { isDependencyId, isPackageId } from "./package-id.ts";

test.each(["a", "Acme", "Acme.Widgets", "acme-widgets.Json_2", "_", "1.2", "a".repeat(100)])(
  "takes the id %s",
  (id) => expect(isPackageId(id)).toBe(true),
);

test.each([
  "",
  ".",
  "Acme.",
  "-acme",
  "Acme..Widgets",
  "Acme.-Widgets",
  "Acme Widgets",
  "../etc",
  "Acme/Widgets",
  "$id$",
  "Acmé",
  "Acme\n",
  "a".repeat(101),
])("refuses the id %j", (id) => expect(isPackageId(id)).toBe(false));

test("lets dependencies have the longer ids of older packages", () => {
  expect(isDependencyId("a".repeat(128))).toBe(true);
  expect(isDependencyId("a".repeat(129))).toBe(false);
});
