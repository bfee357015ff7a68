import { expect, test } from "vitest";
import { disclosureOf } from "./disclosure.ts";
import type { DisclosingRequest } from "./disclosure.ts";

const READ: DisclosingRequest = {
  protocol: "nuget",
  name: "acme",
  isRead: true,
  anonymousPull: false,
  refusal: undefined,
  isHidden: false,
};

const PROTOCOLS = ["nuget", "npm", "oci"] as const;

test.each([
  [{}, "shown"],
  [{ isHidden: true }, "unknown"],
  [{ refusal: "anonymous" }, "refused"],
  [{ refusal: "anonymous", anonymousPull: true }, "unknown"],
  [{ refusal: "denied", anonymousPull: true }, "unknown"],
  [{ isRead: false, isHidden: true }, "unknown"],
  [{ isRead: false, refusal: "denied", isHidden: true }, "refused"],
  [{ isRead: false, refusal: "anonymous", anonymousPull: true }, "refused"],
] as const)("a request with %j has a name that is %s, in each protocol", (fields, expected) => {
  for (const protocol of PROTOCOLS) {
    expect(disclosureOf({ ...READ, protocol, ...fields })).toBe(expected);
  }
});

test.each([
  ["npm", "acme", "concealed"],
  ["npm", undefined, "refused"],
  ["nuget", "acme", "refused"],
  ["oci", "acme", "refused"],
] as const)("a denied read of %s %s is %s where reading needs a token", (...row) => {
  const [protocol, name, expected] = row;
  expect(disclosureOf({ ...READ, protocol, name, refusal: "denied" })).toBe(expected);
});
