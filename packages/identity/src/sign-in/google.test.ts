import { afterAll, beforeEach, expect, test } from "vitest";
import { openOpenIdStandIn } from "../testing/open-id-stand-in.ts";
import type { OpenIdUser } from "../testing/open-id-stand-in.ts";
import { grantOf, newAttempt, providerOf, REDIRECT_URI, signIn } from "./sign-in.test.support.ts";

const standIn = await openOpenIdStandIn({
  kind: "google",
  users: {},
  redirectUris: [REDIRECT_URI],
});
afterAll(() => standIn[Symbol.asyncDispose]());
beforeEach(() => standIn.setUser("ada", {}));

test("a member of the organization signs in", async () => {
  const provider = providerOf(standIn.settings);
  expect(await signIn(provider, "ada")).toMatchObject({
    status: "verified",
    issuer: standIn.issuer,
    subject: "ada",
    shown: "ada@acme.example",
    email: "ada@acme.example",
    groups: [],
  });
  const { searchParams } = await provider.start(newAttempt());
  expect(Object.fromEntries(searchParams)).toMatchObject({
    hd: "acme.example",
    access_type: "offline",
    prompt: "consent",
  });
});

test("the same address of another account is another person", async () => {
  const provider = providerOf(standIn.settings);
  standIn.setUser("eve", { claims: { email: "ada@acme.example" } });
  expect(await signIn(provider, "eve")).toMatchObject({ subject: "eve" });
});

test.each<[string, OpenIdUser["claims"], string]>([
  ["without hd, although the request has it", { hd: undefined }, "hosted-domain-missing"],
  ["with another hd", { hd: "evil.example" }, "hosted-domain-wrong"],
  ["with a longer hd", { hd: "evil-acme.example" }, "hosted-domain-wrong"],
  ["with a list in hd", { hd: ["acme.example"] }, "hosted-domain-missing"],
  ["with an unverified address", { email_verified: false }, "email-not-verified"],
  ["with a text for a verified address", { email_verified: "true" }, "email-not-verified"],
])("refuses an ID token %s", async (_, claims, code) => {
  standIn.setUser("ada", claims ? { claims } : {});
  const person = await signIn(providerOf(standIn.settings), "ada");
  expect(person).toMatchObject({ status: "refused", code, shown: "ada@acme.example" });
});

test("an organization may have several domains", async () => {
  const { Host__Authentication__Google__HostedDomain: _, ...settings } = standIn.settings;
  const domains = { Google__HostedDomain__0: "acme.example", Google__HostedDomain__1: "acme.test" };
  standIn.setUser("ada", { claims: { hd: "acme.test" } });
  expect(await signIn(providerOf(settings, domains), "ada")).toMatchObject({ status: "verified" });
});

test("asked again, it follows the account until the grant is forgotten", async () => {
  const provider = providerOf(standIn.settings);
  const grant = grantOf(await signIn(provider, "ada"));
  expect(await provider.check(grant)).toMatchObject({ outcome: "member", groups: [] });
  standIn.setUser("ada", { claims: { hd: "evil.example" } });
  expect(await provider.check(grant)).toMatchObject({ outcome: "gone" });
  standIn.setUser("ada", { isDisabled: true });
  expect(await provider.check(grant)).toMatchObject({ outcome: "gone" });
  standIn.setUser("ada", {});
  await provider.forget(grantOf(await signIn(provider, "ada")));
  const other = grantOf(await signIn(provider, "ada"));
  expect(await provider.check(other)).toMatchObject({ outcome: "member" });
  await provider.forget(other);
  expect(await provider.check(other)).toMatchObject({ outcome: "gone" });
});
