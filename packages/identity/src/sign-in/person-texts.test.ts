import { expect, test } from "vitest";
import { cleanPerson } from "./person-texts.ts";

const ADA = {
  status: "verified",
  issuer: "https://idp.example",
  subject: "1",
  shown: "ada@acme.example",
  displayName: "Ada Lovelace",
  groups: [],
} as const;

test.each([
  ["Ada\r\nBcc: eve@evil.example", "Ada Bcc: eve@evil.example"],
  ["\u0000Ada\u0007", "Ada"],
  ["Ada\u202Eevil", "Ada evil"],
  ["Ada\u2028Lovelace", "Ada Lovelace"],
  ["  Zoë   👩‍🔬 ", "Zoë 👩‍🔬"],
  ["\r\n", "ada@acme.example"],
  ["a".repeat(300), "a".repeat(200)],
])("the name %j is %j", (displayName, expected) => {
  expect(cleanPerson({ ...ADA, displayName })).toEqual({ ...ADA, displayName: expected });
});

test.each([
  ["ada@acme.example", "ada@acme.example"],
  [" ada@acme.example\r\n", "ada@acme.example"],
  ["ada+npm@acme.example", "ada+npm@acme.example"],
  ["ada@acme.example\r\nbob@acme.example", undefined],
  ["ada@acme.example, bob@acme.example", undefined],
  ["ada@acme.example;bob@acme.example", undefined],
  ["Ada <ada@acme.example>", undefined],
  ["ada", undefined],
  ["@acme.example", undefined],
  [`${"a".repeat(250)}@acme.example`, undefined],
])("the address %j is %j", (email, expected) => {
  const address = expected === undefined ? {} : { email: expected };
  expect(cleanPerson({ ...ADA, email })).toEqual({ ...ADA, ...address });
});

test("the account of a refusal is one line", () => {
  const refusal = { status: "refused", code: "stranger", reason: "No.", shown: "a\nb" } as const;
  expect(cleanPerson(refusal)).toEqual({ ...refusal, shown: "a b" });
});
