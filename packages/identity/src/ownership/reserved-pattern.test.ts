import { expect, test } from "vitest";
import { parseReservedPattern, reservedPatternText } from "./reserved-pattern.ts";

test.each([
  ["npm", "@acme/*", "@acme/*"],
  ["npm", "left-pad", "left-pad"],
  ["nuget", "Acme.*", "acme.*"],
  ["oci", "acme/**", "acme/**"],
  ["oci", "acme/*", "acme/**"],
] as const)("%s: the reservation %s is listed as %s", (protocol, text, listed) => {
  const pattern = parseReservedPattern(protocol, text);
  expect(reservedPatternText(pattern)).toBe(listed);
  expect(parseReservedPattern(protocol, listed)).toEqual(pattern);
});
