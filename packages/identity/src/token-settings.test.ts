import { expect, test } from "vitest";
import { TokenSettingError } from "./errors.ts";
import { parseExpiry } from "./expiry.ts";
import { coversName, parsePatterns } from "./name-pattern.ts";
import { isWithin, networksOfAddress, parseNetworks } from "./network.ts";
import { parseProtocols, parseScopes } from "./scope.ts";

const now = new Date("2026-01-01T00:00:00Z");

test.each([
  ["read", ["read"]],
  ["write,read", ["read", "write"]],
  ["Read", ["read"]],
  ["Write", ["write"]],
  ["ReadWrite", ["read", "write"]],
  [" read, DELETE admin ", ["read", "delete", "admin"]],
])("the scopes %j are %j", (text, scopes) => {
  expect(parseScopes(text)).toEqual(scopes);
});

test.each(["", " , ", "root", "read,everything", "constructor", "__proto__"])(
  "%j contains no valid scopes",
  (text) => expect(() => parseScopes(text)).toThrow(/read, stage, publish, write, delete, admin/),
);

test("parses protocols in any order and case; an empty text means all", () => {
  expect(parseProtocols("OCI, nuget")).toEqual(["nuget", "oci"]);
  expect(parseProtocols("")).toEqual([]);
  expect(() => parseProtocols("nuget,maven")).toThrow(/"maven" is not a protocol.*nuget, npm, oci/);
});

test.each([
  ["12h", "2026-01-01T12:00:00.000Z"],
  ["90d", "2026-04-01T00:00:00.000Z"],
  ["2w", "2026-01-15T00:00:00.000Z"],
  ["1Y", "2027-01-01T00:00:00.000Z"],
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2027-01-31T12:30Z", "2027-01-31T12:30:00.000Z"],
  ["2028-02-29t12:30:15z", "2028-02-29T12:30:15.000Z"],
])("%s ends at %s", (text, end) => {
  expect(parseExpiry(text, now)?.toISOString()).toBe(end);
});

test("never means no expiry", () => {
  expect(parseExpiry("Never", now)).toBeUndefined();
});

test.each([
  "",
  "90",
  "d",
  "0d",
  "-1d",
  "1.5d",
  "2025-12-31",
  "2026-01-01",
  "2027-02-30",
  "999999y",
  "soon",
  "2027-01-31T12:30+02:00",
])("%j is not an expiry", (text) =>
  expect(() => parseExpiry(text, now)).toThrow(TokenSettingError),
);

test.each([
  ["Acme.*", "nuget", "Acme.Widgets", true],
  ["acme.*", "nuget", "ACME.Widgets.Core", true],
  ["Acme.*", "nuget", "Acme", false],
  ["Acme.*", "nuget", "AcmeX.Widgets", false],
  ["Acme.Widgets", "nuget", "acme.widgets", true],
  ["Acme.Widgets", "nuget", "acme.widgets2", false],
  ["*", "nuget", "Anything", true],
  ["@acme/*", "npm", "@acme/app", true],
  ["@acme/*", "npm", "@acme-evil/app", false],
  ["@acme/*", "npm", "acme", false],
  ["@Acme/*", "npm", "@acme/app", false],
  ["*", "npm", "left-pad", true],
  ["*", "npm", "@acme/app", false],
  ["**", "npm", "@acme/app", true],
  ["team/*", "oci", "team/app", true],
  ["team/*", "oci", "team/app/cache", false],
  ["team/app/**", "oci", "team/app/cache/deep", true],
  ["team/app/**", "oci", "team/app", true],
  ["team/app/**", "oci", "team/apple", false],
  ["team/app/**", "oci", "team", false],
  ["**/cache", "oci", "team/app/cache", true],
  ["team/*/cache", "oci", "team/app/cache", true],
  ["team/*/cache", "oci", "team/a/b/cache", false],
  ["a*b*c", "oci", "aXbYbc", true],
  ["a*b*c", "oci", "aXbY", false],
  ["a.c", "oci", "abc", false],
] as const)("%s covers %s %s: %s", (pattern, protocol, name, covered) => {
  expect(coversName(pattern, protocol, name)).toBe(covered);
});

test("a pattern with many stars matches without backtracking, which would never end", () => {
  expect(coversName(`${"*a".repeat(127)}b`, "npm", "a".repeat(512))).toBe(false);
  expect(coversName("**", "npm", "a".repeat(513))).toBe(false);
});

test("parses lists of patterns and refuses invalid ones", () => {
  expect(parsePatterns("Acme.*, @acme/* Acme.*")).toEqual(["Acme.*", "@acme/*"]);
  expect(parsePatterns("")).toEqual([]);
  for (const bad of ["a{b}", "(a+)+", "x".repeat(257), "a\u0000"]) {
    expect(() => parsePatterns(bad)).toThrow(TokenSettingError);
  }
  const many = Array.from({ length: 101 }, (_, index) => `p${index}`).join(",");
  expect(() => parsePatterns(many)).toThrow(/at most 100/);
});

test.each([
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.1.2.3", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["::ffff:10.0.0.0/104", "10.1.2.3", true],
  ["::ffff:10.0.0.0/104", "11.1.2.3", false],
  ["192.0.2.7", "192.0.2.7", true],
  ["192.0.2.7", "192.0.2.8", false],
  ["2001:db8::/32", "2001:db8:1::1", true],
  ["2001:db8::/32", "2001:db9::1", false],
  ["fe80::/10", "fe80::1%eth0", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["::/0", "10.0.0.1", false],
  ["10.0.0.0/8", "not an address", false],
  ["10.0.0.0/8", "", false],
])("the network %s contains %s: %s", (network, address, within) => {
  expect(isWithin([network], address)).toBe(within);
});

test.each([
  "10.0.0.0/33",
  "2001:db8::/129",
  "10.1/8",
  "0x0a.0.0.1/8",
  "10.0.0.0/8/8",
  "10.0.0.0/",
  "host",
])("%j is not a network", (text) => expect(() => parseNetworks(text)).toThrow(TokenSettingError));

test.each([
  ["192.0.2.1", ["192.0.2.1"]],
  ["::ffff:192.0.2.1", ["192.0.2.1"]],
  ["2001:db8:1:2345::6", ["20010db800012345/64", "20010db8000123/56", "20010db80001/48"]],
  ["2001:db8:1:2345::6%eth0", ["20010db800012345/64", "20010db8000123/56", "20010db80001/48"]],
  ["unix", ["unix"]],
])("%s counts for %j", (address, keys) => {
  expect(networksOfAddress(address).map(({ key }) => key)).toEqual(keys);
});
