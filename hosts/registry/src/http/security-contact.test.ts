import { expect, test } from "vitest";
import { parseSecurityContact, securityText } from "./security-contact.ts";

test("the text has a contact, an end within a year, and the public addresses", () => {
  const text = securityText({
    contact: "mailto:security@acme.example",
    publicBaseUrls: ["https://feed.acme.example", "https://packages.acme.example"],
    now: new Date("2026-03-01T10:11:12Z"),
  });
  expect(text.split("\n")).toEqual([
    "Contact: mailto:security@acme.example",
    "Expires: 2026-03-31T00:00:00.000Z",
    "Canonical: https://feed.acme.example/.well-known/security.txt",
    "Canonical: https://packages.acme.example/.well-known/security.txt",
    "",
  ]);
});

test.each([
  ["security@acme.example", "mailto:security@acme.example"],
  ["mailto:security@acme.example", "mailto:security@acme.example"],
  ["https://acme.example/security", "https://acme.example/security"],
  ["tel:+1-201-555-0123", "tel:+1-201-555-0123"],
  ["http://acme.example/security", undefined],
  ["the operators", undefined],
  ["security@acme.example\nPolicy: https://evil.example", undefined],
])("the contact %j is %j", (text, uri) => {
  expect(parseSecurityContact(text)).toBe(uri);
});
