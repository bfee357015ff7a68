import { expect, test } from "vitest";
import { createOlderAddressesApp } from "./older-addresses.ts";
import { exampleSite } from "./testing/example-packages.ts";

const site = () => exampleSite({ address: "https://a.example/base" });
const app = createOlderAddressesApp({ site });

test.each([
  ["/feed", "/base/#connect"],
  ["/npm", "/base/npm-packages"],
  ["/npm/", "/base/npm-packages"],
  ["/npm/feed", "/base/#connect"],
  ["/npm/packages/left-pad", "/base/npm-packages/left-pad"],
  ["/npm/packages/@acme%2fapp", "/base/npm-packages/@acme%2fapp"],
  ["/oci", "/base/images"],
  ["/oci/acme", "/base/images"],
  ["/oci/repos/app", "/base/images/app"],
  ["/oci/repos/team%2Fapp/1.0", "/base/images/team/app:1.0"],
  ["/oci/acme/repos/app/sha256%3Aab", "/base/images/acme/app@sha256:ab"],
  ["/Account/Login", "/base/sign-in"],
  ["/Account/AccessDenied", "/base/account"],
  ["/Account/ApiKeys", "/base/account/tokens"],
  ["/Account/ApiKeys/", "/base/account/tokens"],
  ["/account/apikeys", "/base/account/tokens"],
  ["/Account/Users", "/base/administration/users"],
  ["/Account/PackageSources", "/base/administration/package-sources"],
  ["/Account/PackageGroups", "/base/administration/package-groups"],
  ["/Account/PublishTargets", "/base/administration/publish-targets"],
  ["/Account/AuditLog", "/base/administration"],
  ["/Account/Settings", "/base/administration"],
  ["/administration/sources", "/base/administration/package-sources"],
  ["/administration/sources/npmjs", "/base/administration/package-sources/npmjs"],
  ["/administration/new-source", "/base/administration/package-sources/new"],
  ["/administration/new-rule", "/base/administration/rules/new"],
])("%s redirects to %s", async (path, location) => {
  const answer = await app.request(path);
  expect([answer.status, answer.headers.get("location")]).toEqual([301, location]);
});

test.each([
  "/oci/acme/other",
  "/packages",
  "/npm/left-pad",
  "/feeds",
  "/account",
  "/Account/Other",
])("%s is not an older address", async (path) => {
  expect((await app.request(path)).status).toBe(404);
});
