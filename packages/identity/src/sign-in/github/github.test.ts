import { afterAll, beforeEach, expect, test } from "vitest";
import { SignInUnavailableError } from "../../errors.ts";
import { openGitHubStandIn } from "../../testing/github-stand-in.ts";
import type { GitHubOrganization, GitHubUser } from "../../testing/github-stand-in.ts";
import type { CannedAnswer } from "../../testing/provider-server.ts";
import { signInAt } from "../../testing/sign-in-browser.ts";
import type { KnownOrganization } from "../provider-options.ts";
import { grantOf, newAttempt, providerOf, REDIRECT_URI, signIn } from "../sign-in.test.support.ts";

const ADA: GitHubUser = { id: 42, name: "Ada" };
const ACME: GitHubOrganization = {
  id: 7,
  members: { ada: "active", eve: "pending" },
  teams: {
    admins: { ada: "pending" },
    publishers: { ada: "active" },
    readers: { ada: "active" },
  },
};
const standIn = await openGitHubStandIn({
  users: {},
  organizations: { acme: ACME },
  redirectUris: [REDIRECT_URI],
});
const { settings } = standIn;
const MEMBERSHIP = "/user/memberships/orgs/acme";
afterAll(() => standIn[Symbol.asyncDispose]());
beforeEach(() => {
  standIn.setUser("ada", ADA);
  standIn.setUser("eve", { id: 43 });
  standIn.setUser("stranger", { id: 44 });
  standIn.setOrganization("acme", ACME);
  standIn.answer("/user", undefined);
  standIn.answer(MEMBERSHIP, undefined);
});

test("a member of the organization signs in under the numeric id", async () => {
  const provider = providerOf(settings);
  const ada = await signIn(provider, "ada");
  expect(ada).toMatchObject({
    status: "verified",
    issuer: standIn.origin,
    subject: "42",
    shown: "ada",
    displayName: "Ada",
    email: "ada@acme.example",
    groups: [],
  });
  expect(ada).not.toHaveProperty("role");
  standIn.setUser("ada", { id: 45 });
  expect(await signIn(provider, "ada")).toMatchObject({ subject: "45" });
  const { searchParams } = await provider.start(newAttempt());
  expect(Object.fromEntries(searchParams)).toMatchObject({
    scope: "read:user read:org user:email",
    code_challenge_method: "S256",
    allow_signup: "false",
  });
});

type Refusal = {
  readonly login?: string;
  readonly user?: GitHubUser;
  readonly organization?: Partial<GitHubOrganization>;
  readonly settings?: Readonly<Record<string, string>>;
};

test.each<[string, Refusal, string, RegExp]>([
  ["a pending invitation", { login: "eve" }, "membership-pending", /acme\/invitation/],
  ["a stranger", { login: "stranger" }, "not-a-member", /an owner of the organization to invite/],
  [
    "a session without single sign-on",
    { organization: { requiresSso: true } },
    "saml-required",
    /at http:\/\/127\.0\.0\.1:\d+\/orgs\/acme\/sso,/,
  ],
  [
    "an app that is not approved",
    { organization: { restrictsApps: true } },
    "organization-restricted",
    /approve this registry/,
  ],
  ["less scope", { user: { ...ADA, scope: "read:user" } }, "scope-missing", /all permissions/],
  [
    "another team",
    { settings: { GitHub__TeamSlugs: "admins" } },
    "required-group-missing",
    /add you to a team/,
  ],
  [
    "a team that does not exist",
    { settings: { GitHub__TeamSlugs: "secret" } },
    "required-group-missing",
    /in no team/,
  ],
  [
    "no team with a role",
    { settings: { GitHub__ConsumerRoleTeamSlugs: "admins" } },
    "role-group-missing",
    /gives a role/,
  ],
  [
    "another organization with the name",
    { settings: { GitHub__OrganizationId: "8" } },
    "organization-changed",
    /another organization/,
  ],
  [
    "an unknown second factor",
    { settings: { RequireMfa: "true" } },
    "second-factor-unknown",
    /amr/,
  ],
  [
    "no second factor",
    { settings: { RequireMfa: "true" }, user: { ...ADA, hasSecondFactor: false } },
    "second-factor-missing",
    /Set one up/,
  ],
  [
    "a wrong client secret",
    { settings: { GitHub__ClientSecret: "expired" } },
    "client-refused",
    /Host__Authentication__GitHub__ClientSecret/,
  ],
])("refuses %s", async (_, { login = "ada", user, organization, settings: more }, code, words) => {
  if (user) standIn.setUser("ada", user);
  standIn.setOrganization("acme", { ...ACME, ...organization });
  const person = await signIn(providerOf(settings, more), login);
  expect(person).toMatchObject({ status: "refused", code, reason: expect.stringMatching(words) });
});

test.each([
  [{ GitHub__TeamSlugs: "Publishers" }, ["publishers"], undefined],
  [{ GitHub__AdminRoleTeamSlugs: "admins" }, [], "consumer"],
  [
    { GitHub__PublisherRoleTeamSlugs: "publishers", GitHub__ConsumerRoleTeamSlugs: "readers" },
    ["publishers", "readers"],
    "publisher",
  ],
])("teams with %j give groups %j and the role %s", async (more, groups, role) => {
  const person = await signIn(providerOf(settings, more), "ada");
  expect(person).toMatchObject({ status: "verified", groups });
  expect("role" in person ? person.role : undefined).toBe(role);
});

test("a sign-in confirms nothing, because GitHub does not ask again", async () => {
  const provider = providerOf(settings);
  const attempt = { ...newAttempt(), freshSince: new Date() };
  const page = await provider.start(attempt);
  const callback = await signInAt(page, { login: "ada", redirectUri: REDIRECT_URI });
  expect(provider.canAskAgain).toBe(false);
  expect(await provider.finish(callback, attempt)).toMatchObject({ code: "sign-in-not-fresh" });
});

test("an organization that takes the name later is refused", async () => {
  const provider = providerOf(settings);
  const grant = grantOf(await signIn(provider, "ada"));
  standIn.setOrganization("acme", { ...ACME, id: 8 });
  expect(await signIn(provider, "ada")).toMatchObject({ code: "organization-changed" });
  expect(await providerOf(settings).check(grant)).toMatchObject({ outcome: "gone" });
});

test("another organization with the name is refused after a restart", async () => {
  const kept = new Map<string, number>();
  const knownOrganization: KnownOrganization = {
    find: async (url) => kept.get(url),
    async keep(url, id) {
      kept.clear();
      kept.set(url, id);
    },
  };
  const restarted = (more = {}) => providerOf(settings, more, { knownOrganization });
  await signIn(restarted(), "ada");
  standIn.setOrganization("acme", { ...ACME, id: 8 });
  const changed = { code: "organization-changed" };
  expect(await signIn(restarted(), "ada")).toMatchObject(changed);
  standIn.setOrganization("acme-new", ACME);
  const renamed = await signIn(restarted({ GitHub__Organization: "acme-new" }), "ada");
  expect(renamed).toMatchObject({ status: "verified" });
  expect([...kept]).toEqual([[`${standIn.origin}/acme-new`, 7]]);
  const configured = await signIn(restarted({ GitHub__OrganizationId: "8" }), "ada");
  expect(configured).toMatchObject({ status: "verified" });
  expect([...kept]).toEqual([[`${standIn.origin}/acme`, 8]]);
});

test("a code is valid for one sign-in, in the browser that started it", async () => {
  const provider = providerOf(settings);
  const attempt = newAttempt();
  const wish = { login: "ada", redirectUri: REDIRECT_URI };
  const callback = await signInAt(await provider.start(attempt), wish);
  expect(await provider.finish(callback, newAttempt())).toMatchObject({ code: "state-mismatch" });
  expect(await provider.finish(callback, attempt)).toMatchObject({ status: "verified" });
  expect(await provider.finish(callback, attempt)).toMatchObject({ code: "code-refused" });
  const elsewhere = newAttempt();
  const other = await signInAt(await provider.start(elsewhere), wish);
  const redirectUri = "https://other.example/signin";
  expect(await provider.finish(other, { ...elsewhere, redirectUri })).toMatchObject({
    code: "redirect-refused",
  });
  const cancelled = newAttempt();
  const page = await provider.start(cancelled);
  const refused = await signInAt(page, { ...wish, decision: "cancel" });
  expect(await provider.finish(refused, cancelled)).toMatchObject({ code: "access-denied" });
});

const LIMITED = { status: 403, headers: { "x-ratelimit-remaining": "0" } };

test.each<[string, CannedAnswer]>([
  ["503", { status: 503 }],
  ["429", { status: 429 }],
  ["a limit of requests", LIMITED],
  ["a redirect", { status: 302, headers: { location: "https://evil.example" } }],
  ["a large answer", { status: 200, body: JSON.stringify({ text: "x".repeat(300_000) }) }],
])("%s gives no access, and takes none away", async (_, answer) => {
  const provider = providerOf(settings);
  const grant = grantOf(await signIn(provider, "ada"));
  standIn.answer(MEMBERSHIP, answer);
  await expect(signIn(provider, "ada")).rejects.toThrow(SignInUnavailableError);
  expect(await provider.check(grant)).toMatchObject({ outcome: "unknown" });
});

test.each<[string, Partial<GitHubOrganization>, string]>([
  ["a member", {}, "member"],
  ["a former member", { members: {} }, "gone"],
  ["a former member of the team", { teams: {} }, "gone"],
  ["a pending member", { members: { ada: "pending" } }, "gone"],
  ["an account without single sign-on", { requiresSso: true }, "gone"],
  ["an app that is no longer approved", { restrictsApps: true }, "unknown"],
])("asked again about %s", async (_, organization, outcome) => {
  const provider = providerOf(settings, { GitHub__TeamSlugs: "publishers" });
  const grant = grantOf(await signIn(provider, "ada"));
  standIn.setOrganization("acme", { ...ACME, ...organization });
  expect(await provider.check(grant)).toMatchObject({ outcome });
});

test("an account with another login stays a member, and another account does not", async () => {
  const provider = providerOf(settings);
  const grant = grantOf(await signIn(provider, "ada"));
  standIn.setUser("ada", { id: 46 });
  expect(await provider.check(grant)).toMatchObject({ outcome: "gone" });
  standIn.setUser("lovelace", ADA);
  standIn.setOrganization("acme", { ...ACME, members: { lovelace: "active" } });
  expect(await provider.check(grant)).toMatchObject({ outcome: "member" });
  standIn.answer("/user", { status: 200, body: JSON.stringify({ id: 47, login: "eve" }) });
  expect(await provider.check(grant)).toMatchObject({ outcome: "gone" });
});

test("ends a token that is forgotten", async () => {
  const provider = providerOf(settings);
  const grant = grantOf(await signIn(provider, "ada"));
  await provider.forget(grant);
  expect(await provider.check(grant)).toMatchObject({ outcome: "gone" });
  await provider.forget(grant);
});
