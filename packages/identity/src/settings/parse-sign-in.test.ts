import { createSettings, readSources } from "@sealhouse/settings";
import { expect, test } from "vitest";
import type { SignInConfig } from "../sign-in/provider-config.ts";
import { parseSignIn } from "./parse-sign-in.ts";
import { SIGN_IN_SETTINGS } from "./sign-in-table.ts";

const TENANT = "5b6d5b1c-2a3e-4f4d-9a7b-1c2d3e4f5a6b";
const GROUP = "0f2d8cf2-1a36-4ac7-8e1c-9b1f0d6d1a51";

const MICROSOFT = {
  Microsoft__ClientId: "app",
  Microsoft__ClientSecret: "secret",
  Microsoft__TenantId: TENANT,
};
const GOOGLE = {
  Google__ClientId: "app",
  Google__ClientSecret: "secret",
  Google__HostedDomain: "Acme.example",
};
const GITHUB = {
  GitHub__ClientId: "app",
  GitHub__ClientSecret: "secret",
  GitHub__Organization: "Acme",
};

/** Keys are below `Host__Authentication`. */
function parsed(values: Readonly<Record<string, string>>): {
  readonly config: SignInConfig | undefined;
  readonly problems: readonly string[];
} {
  const env = Object.fromEntries(
    Object.entries(values).map(([key, text]) => [`Host__Authentication__${key}`, text]),
  );
  const { entries } = readSources({
    env,
    args: [],
    folders: [],
    readFile: () => undefined,
    table: SIGN_IN_SETTINGS,
    environmentKey: "ENVIRONMENT",
  });
  const settings = createSettings(entries, { table: SIGN_IN_SETTINGS });
  return { config: parseSignIn(settings), problems: settings.problems };
}

test("without a provider there is no sign-in", () => {
  expect(parsed({})).toEqual({ config: undefined, problems: [] });
  expect(parsed({ Google__ClientId: "", GitHub__TeamSlugs: " " }).config).toBeUndefined();
});

test("reads all settings of Microsoft Entra ID", () => {
  const { config, problems } = parsed({
    ...MICROSOFT,
    Microsoft__TenantId: TENANT.toUpperCase(),
    Microsoft__AllowedEmailDomains__0: "Acme.example",
    Microsoft__RequiredGroupIds__0: GROUP.toUpperCase(),
    Microsoft__AdminRoleGroupIds__0: GROUP,
    Microsoft__AllowGuests: "true",
    Microsoft__Instance: "https://login.microsoftonline.us/",
    RevalidateInterval: "04:00:00",
    RequireMfa: "true",
    MfaContexts__0: "c1",
    RequireMfaPatterns__0: "@acme/*",
  });
  expect(problems).toEqual([]);
  expect(config).toEqual({
    provider: {
      name: "microsoft",
      clientId: "app",
      clientSecret: "secret",
      tenantId: TENANT,
      instance: "https://login.microsoftonline.us",
      graphBaseUrl: "https://graph.microsoft.us",
      allowedEmailDomains: ["acme.example"],
      allowsGuests: true,
      groups: { required: [GROUP], administrators: [GROUP], publishers: [], consumers: [] },
    },
    revalidateMs: 4 * 3_600_000,
    requiresMfa: true,
    mfaContexts: ["c1"],
    mfaPatterns: ["@acme/*"],
    warnings: [],
  });
});

test.each([
  [{}, "https://github.com", "https://api.github.com"],
  [{ GitHub__BaseUrl: "https://acme.ghe.com" }, "https://acme.ghe.com", "https://api.acme.ghe.com"],
  [{ GitHub__BaseUrl: "https://git.acme" }, "https://git.acme", "https://git.acme/api/v3"],
  [{ GitHub__ApiBaseUrl: "https://api.acme/" }, "https://github.com", "https://api.acme"],
])("GitHub with %j has its pages and its API at these addresses", (values, baseUrl, apiBaseUrl) => {
  const { config, problems } = parsed({ ...GITHUB, ...values });
  expect(problems).toEqual([]);
  expect(config?.provider).toMatchObject({ organization: "Acme", baseUrl, apiBaseUrl });
});

test("uses the first of several providers, and warns", () => {
  const { config, problems } = parsed({ ...GITHUB, ...GOOGLE, ...MICROSOFT });
  expect(problems).toEqual([]);
  expect(config?.provider.name).toBe("microsoft");
  expect(config?.warnings).toEqual([
    expect.stringMatching(/sign in with Microsoft; Google and GitHub are not used/),
  ]);
  expect(parsed({ ...GITHUB, ...GOOGLE }).config?.provider.name).toBe("google");
});

test("warns about settings without effect at Google", () => {
  const { config } = parsed({ ...GOOGLE, Google__RequiredGroupIds: GROUP, RequireMfa: "true" });
  expect(config?.provider).toMatchObject({ hostedDomains: ["acme.example"] });
  expect(config?.warnings).toEqual([
    expect.stringMatching(/RequiredGroupIds has no effect/),
    expect.stringMatching(/RequireMfa refuses all sign-ins/),
  ]);
});

test("reads the id of an organization", () => {
  expect(parsed(GITHUB).config?.warnings).toEqual([]);
  expect(parsed({ ...GITHUB, GitHub__OrganizationId: "7" }).config).toMatchObject({
    provider: { organizationId: 7 },
  });
});

test("reports everything that half a configuration lacks", () => {
  const { problems } = parsed({
    Microsoft__ClientId: "app",
    Google__HostedDomain: "acme.example",
    GitHub__ClientSecret: "secret",
  });
  expect(problems.map((problem) => problem.split(":")[0])).toEqual([
    "Host__Authentication__Microsoft__ClientSecret",
    "Host__Authentication__Microsoft__TenantId",
    "Host__Authentication__Google__ClientId",
    "Host__Authentication__Google__ClientSecret",
    "Host__Authentication__GitHub__ClientId",
    "Host__Authentication__GitHub__Organization",
  ]);
});

test.each([
  [{ ...MICROSOFT, Microsoft__TenantId: "common" }, /TenantId: "common" is not the id of one/],
  [{ ...MICROSOFT, Microsoft__TenantId: "organizations" }, /TenantId: .*a GUID/],
  [{ ...MICROSOFT, Microsoft__TenantId: "acme.example" }, /TenantId: .*a GUID/],
  [
    { ...MICROSOFT, Microsoft__TenantId: "9188040D-6C67-4C5B-B112-36A304B66DAD" },
    /TenantId: is the directory of all personal accounts/,
  ],
  [{ ...MICROSOFT, Microsoft__RequiredGroupIds: "Staff" }, /RequiredGroupIds: "Staff" is not the/],
  [{ ...MICROSOFT, Microsoft__Instance: "https://login.acme" }, /GraphBaseUrl: is required/],
  [{ ...MICROSOFT, Microsoft__GraphBaseUrl: "http://graph.acme" }, /GraphBaseUrl: must begin with/],
  [{ ...GOOGLE, Google__Issuer: "http://accounts.acme" }, /Issuer: must begin with https/],
  [{ ...GOOGLE, Google__HostedDomain: "https://acme" }, /HostedDomain: .*a host name/],
  [{ ...GITHUB, GitHub__Organization: "acme/team" }, /Organization: is not the login/],
  [{ ...GITHUB, GitHub__TeamSlugs: "acme/team" }, /TeamSlugs: "acme\/team" is not the slug/],
  [{ ...GITHUB, GitHub__BaseUrl: "http://git.acme" }, /BaseUrl: must begin with https/],
  [{ RequireMfa: "true" }, /RequireMfa: requires an identity provider/],
  [{ RequireMfaPatterns: "acme" }, /RequireMfaPatterns: requires an identity provider/],
  [{ ...GITHUB, RequireMfaPatterns: "a b" }, /RequireMfaPatterns: "a b" is not a name pattern/],
  [{ ...GITHUB, RevalidateInterval: "00:01:00" }, /RevalidateInterval: "00:01:00" is not allowed/],
])("refuses %j", (values, problem) => {
  const { problems } = parsed(values);
  expect(problems[0]).toMatch(problem);
});
