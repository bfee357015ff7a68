import { afterAll, beforeEach, expect, test } from "vitest";
import { SignInUnavailableError } from "../../errors.ts";
import { openOpenIdStandIn } from "../../testing/open-id-stand-in.ts";
import type { OpenIdUser } from "../../testing/open-id-stand-in.ts";
import { grantOf, newAttempt, providerOf, REDIRECT_URI, signIn } from "../sign-in.test.support.ts";

const standIn = await openOpenIdStandIn({
  kind: "microsoft",
  users: {},
  redirectUris: [REDIRECT_URI],
});
afterAll(() => standIn[Symbol.asyncDispose]());
beforeEach(() => {
  standIn.forge(undefined);
  standIn.answer(GRAPH, undefined);
});

const GRAPH = "/v1.0/me/checkMemberGroups";
const OTHER = "99999999-8888-4777-8666-555555555555";
const STAFF = groupId(1);
const ADMINS = groupId(2);
const PUBLISHERS = groupId(3);
const CONSUMERS = groupId(4);

function groupId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

test("a member of the directory signs in under an id that never changes", async () => {
  const provider = providerOf(standIn.settings);
  standIn.setUser("ada", { claims: { email: "ada@acme.example" } });
  const person = await signIn(provider, "ada");
  expect(person).toMatchObject({
    status: "verified",
    issuer: standIn.issuer,
    shown: "ada@acme.example",
    displayName: "ada",
    email: "ada@acme.example",
    groups: [],
  });
  const changed = { preferred_username: "ada.lovelace@acme.example", email: "al@acme.example" };
  standIn.setUser("ada", { claims: changed });
  expect(await signIn(provider, "ada")).toMatchObject({
    subject: "subject" in person && person.subject,
    shown: "ada.lovelace@acme.example",
  });
  standIn.setUser("ada", { claims: { email: "ada@acme.example", oid: OTHER } });
  expect(await signIn(provider, "ada")).not.toMatchObject({
    subject: "subject" in person && person.subject,
  });
});

test.each(["{tenantid}", OTHER])("refuses metadata of Microsoft for %s", async (tenant) => {
  const base = `https://login.microsoftonline.com/${tenant}`;
  const provider = providerOf(
    standIn.settings,
    { Microsoft__Instance: "", Microsoft__GraphBaseUrl: "" },
    {
      fetch: async () =>
        Response.json({
          issuer: `${base}/v2.0`,
          authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
          token_endpoint: `${base}/oauth2/v2.0/token`,
          jwks_uri: `${base}/discovery/v2.0/keys`,
        }),
    },
  );
  await expect(provider.start(newAttempt())).rejects.toThrow(
    /announces another issuer.* check Host__Authentication__Microsoft__TenantId\.$/,
  );
});

const ACME = { Microsoft__AllowedEmailDomains: "corp.example" };
const GUEST = { idp: `https://sts.windows.net/${OTHER}/` };

test.each<[string, OpenIdUser["claims"], Readonly<Record<string, string>>, string]>([
  ["without tid", { tid: undefined }, {}, "directory-wrong"],
  ["with another tid", { tid: OTHER }, {}, "directory-wrong"],
  ["of version 1", { iss: `https://sts.windows.net/${OTHER}/` }, {}, "issuer-wrong"],
  ["of another directory", { iss: `${standIn.origin}/${OTHER}/v2.0` }, {}, "issuer-wrong"],
  ["without oid", { oid: undefined }, {}, "object-id-missing"],
  ["of a guest by idp", GUEST, {}, "guest"],
  ["of a guest by acct", { acct: 1 }, {}, "guest"],
  ["with an unverified address", { email: "ada@corp.example" }, ACME, "email-domain-unknown"],
  ["with a longer domain", { upn: "ada@evil-corp.example" }, ACME, "email-domain-wrong"],
  ["with a deeper domain", { upn: "ada@x.corp.example" }, ACME, "email-domain-wrong"],
  ["with no domain", { upn: "corp.example" }, ACME, "email-domain-wrong"],
  [
    "of a guest with the domain of the directory",
    { ...GUEST, upn: "eve_partner.example#EXT#@corp.example" },
    { ...ACME, Microsoft__AllowGuests: "true" },
    "email-domain-unknown",
  ],
  ["without groups", {}, { Microsoft__RequiredGroupIds: STAFF }, "groups-missing"],
  [
    "with names of groups",
    { groups: ["Staff"] },
    { Microsoft__RequiredGroupIds: STAFF },
    "groups-not-ids",
  ],
  [
    "with other groups",
    { groups: [ADMINS] },
    { Microsoft__RequiredGroupIds: STAFF },
    "required-group-missing",
  ],
  [
    "with no role",
    { groups: [STAFF] },
    { Microsoft__ConsumerRoleGroupIds: CONSUMERS },
    "role-group-missing",
  ],
  ["without amr", {}, { RequireMfa: "true" }, "second-factor-unknown"],
  ["with a password only", { amr: ["pwd"] }, { RequireMfa: "true" }, "second-factor-missing"],
])("refuses an ID token %s", async (_, claims, settings, code) => {
  standIn.setUser("ada", claims ? { claims } : {});
  const person = await signIn(providerOf(standIn.settings, settings), "ada");
  expect(person).toMatchObject({ status: "refused", code });
  expect("reason" in person && person.reason).toMatch(/^[A-Z].*\. .*\.$/);
});

test.each<[string, OpenIdUser["claims"], Readonly<Record<string, string>>]>([
  ["of a guest, if guests are allowed", GUEST, { Microsoft__AllowGuests: "true" }],
  ["of a member with idp", { idp: standIn.issuer, acct: 0 }, {}],
  ["with the domain in upn", { upn: "ada@Corp.example" }, ACME],
  ["with a verified address", { email: "ada@corp.example", xms_edov: "1" }, ACME],
  [
    "of a guest with a verified address",
    { ...GUEST, email: "eve@corp.example", xms_edov: true },
    { ...ACME, Microsoft__AllowGuests: "true" },
  ],
  [
    "with upper-case groups",
    { groups: [STAFF.toUpperCase()] },
    { Microsoft__RequiredGroupIds: STAFF },
  ],
  ["with a second factor", { amr: ["pwd", "mfa"] }, { RequireMfa: "true" }],
])("accepts an ID token %s", async (_, claims, settings) => {
  standIn.setUser("ada", claims ? { claims } : {});
  const person = await signIn(providerOf(standIn.settings, settings), "ada");
  expect(person).toMatchObject({ status: "verified" });
});

test("an authentication context confirms a second factor, and the request names it", async () => {
  const settings = {
    MfaContexts: "c1",
    RequireMfa: "true",
  };
  const provider = providerOf(standIn.settings, settings);
  const { searchParams } = await provider.start(newAttempt());
  expect(searchParams.get("claims")).toBe('{"id_token":{"acrs":{"essential":true,"value":"c1"}}}');
  standIn.setUser("ada", { claims: { acrs: ["c1"] } });
  expect(await signIn(provider, "ada")).toMatchObject({ hasSecondFactor: true });
  standIn.setUser("ada", { claims: { acrs: ["c2"] } });
  expect(await signIn(provider, "ada")).toMatchObject({ code: "second-factor-missing" });
});

const ROLES = {
  Microsoft__AdminRoleGroupIds: ADMINS,
  Microsoft__PublisherRoleGroupIds: PUBLISHERS,
  Microsoft__ConsumerRoleGroupIds: CONSUMERS,
};

test.each([
  [[ADMINS, PUBLISHERS], "administrator"],
  [[CONSUMERS, PUBLISHERS], "publisher"],
  [[CONSUMERS], "consumer"],
])("groups %j give the role %s", async (groups, role) => {
  standIn.setUser("ada", { groups });
  const person = await signIn(providerOf(standIn.settings, ROLES), "ada");
  expect(person).toMatchObject({ role, groups: expect.arrayContaining(groups) });
});

const MANY = Array.from({ length: 250 }, (_, index) => groupId(1000 + index));
const CONFIGURED = Object.fromEntries(
  Array.from({ length: 45 }, (_, index) => [
    `Microsoft__RequiredGroupIds__${index}`,
    groupId(1200 + index),
  ]),
);

test("asks Graph for configured groups of a person in 250 groups, 20 in a call", async () => {
  const provider = providerOf(standIn.settings, CONFIGURED);
  standIn.setUser("ada", { groups: MANY });
  const before = standIn.requests.length;
  const person = await signIn(provider, "ada");
  expect("groups" in person && person.groups).toHaveLength(45);
  const requests = standIn.requests.slice(before);
  expect(requests.filter((request) => request === `POST ${GRAPH}`)).toHaveLength(3);
  expect(requests.filter((request) => request.includes("/retired/"))).toEqual([]);
  standIn.setUser("ada", { groups: MANY.slice(0, 200).concat(groupId(1)) });
  expect(await signIn(provider, "ada")).toMatchObject({ code: "required-group-missing" });
});

test("gives no access while Graph does not answer", async () => {
  const provider = providerOf(standIn.settings, CONFIGURED);
  standIn.setUser("ada", { groups: MANY });
  const grant = grantOf(await signIn(provider, "ada"));
  standIn.answer(GRAPH, { status: 503 });
  await expect(signIn(provider, "ada")).rejects.toThrow(SignInUnavailableError);
  expect(await provider.check(grant)).toMatchObject({
    outcome: "unknown",
    reason: expect.stringMatching(/Graph cannot be asked: .*503/),
  });
  standIn.answer(GRAPH, { status: 403 });
  expect(await signIn(provider, "ada")).toMatchObject({ code: "graph-refused" });
  expect(await provider.check(grant)).toMatchObject({ outcome: "unknown" });
});

test("reports the groups of teams, and requires no groups claim for them", async () => {
  const teamGroups = async () => [ADMINS.toUpperCase(), STAFF];
  const provider = providerOf(standIn.settings, {}, { teamGroups });
  standIn.setUser("ada", { groups: [STAFF] });
  expect(await signIn(provider, "ada")).toMatchObject({ groups: [STAFF] });
  standIn.setUser("ada", { groups: [STAFF], claims: { groups: undefined } });
  expect(await signIn(provider, "ada")).toMatchObject({ groups: [STAFF] });
});

test.each([400, 401, 403])("groups of teams are none when Graph answers %d", async (status) => {
  const teamGroups = async () => ["platform-team", STAFF];
  const provider = providerOf(standIn.settings, {}, { teamGroups });
  standIn.setUser("ada", { groups: [STAFF], claims: { groups: undefined } });
  expect(await signIn(provider, "ada")).toMatchObject({ groups: [STAFF] });
  standIn.setUser("ada", { claims: { groups: ["Staff"] } });
  expect(await signIn(provider, "ada")).toMatchObject({ status: "verified", groups: [] });
  standIn.setUser("ada", { groups: [STAFF], claims: { groups: undefined } });
  standIn.answer(GRAPH, { status });
  const person = await signIn(provider, "ada");
  expect(person).toMatchObject({ status: "verified", groups: [] });
  expect(await provider.check(grantOf(person))).toMatchObject({ outcome: "member", groups: [] });
  standIn.answer(GRAPH, { status: 503 });
  await expect(signIn(provider, "ada")).rejects.toThrow(SignInUnavailableError);
});

test("asked again, it follows the groups and the account", async () => {
  const settings = { ...ROLES, Microsoft__RequiredGroupIds: STAFF };
  const provider = providerOf(standIn.settings, settings);
  standIn.setUser("ada", { groups: [STAFF, ADMINS] });
  const grant = grantOf(await signIn(provider, "ada"));
  const checked = async (user: OpenIdUser) => {
    standIn.setUser("ada", user);
    return provider.check(grant);
  };
  expect(await checked({ groups: [STAFF, PUBLISHERS] })).toMatchObject({
    outcome: "member",
    role: "publisher",
    groups: [STAFF, PUBLISHERS],
  });
  expect(await checked({ groups: [ADMINS] })).toMatchObject({
    outcome: "gone",
    reason: expect.stringMatching(/in no group/),
  });
  expect(await checked({})).toMatchObject({
    outcome: "unknown",
    reason: expect.stringMatching(/emits no groups/),
  });
  expect(await checked({ groups: [STAFF, ADMINS], claims: { oid: OTHER } })).toMatchObject({
    outcome: "unknown",
  });
  expect(await checked({ groups: [STAFF, ADMINS], claims: { amr: ["pwd"] } })).toMatchObject({
    outcome: "member",
    role: "administrator",
  });
  expect(await checked({ isDisabled: true })).toMatchObject({
    outcome: "gone",
    reason: "Microsoft has ended the access of this account.",
  });
  expect(await provider.check(new TextEncoder().encode("{}"))).toMatchObject({
    outcome: "unknown",
  });
});
