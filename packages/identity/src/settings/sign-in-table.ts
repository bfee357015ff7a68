import type { SettingsTable } from "@sealhouse/settings";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LIST = { type: "list", of: { type: "text" } } as const;

const GENERAL = {
  Host__Authentication__RevalidateInterval: {
    kind: { type: "time-span", minMs: 5 * MINUTE_MS, maxMs: 30 * DAY_MS },
    fallback: "1.00:00:00",
    about:
      "How often the identity provider confirms that each user is still a member. While the " +
      "provider does not answer, users keep their access for twice this time.",
  },
  Host__Authentication__RequireMfa: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Refuses sign-ins for which the identity provider does not confirm a second factor. See " +
      "`identity-providers.md`.",
  },
  Host__Authentication__RequireMfaPatterns: {
    kind: LIST,
    otherwise: "no names",
    about:
      "Name patterns, as tokens have them. Users whose last sign-in had no second factor cannot " +
      "publish or change these names. Needs an identity provider that confirms second factors.",
  },
  Host__Authentication__MfaContexts: {
    kind: LIST,
    otherwise: "`mfa` in the claim `amr` is required",
    about:
      "Values of the claims `acr` and `acrs` that also confirm a second factor, such as the id " +
      "of an authentication context of Microsoft Entra ID.",
  },
} as const satisfies SettingsTable;

const MICROSOFT = {
  Host__Authentication__Microsoft__ClientId: {
    kind: { type: "text" },
    about: "Application (client) id of the registration in Microsoft Entra ID.",
  },
  Host__Authentication__Microsoft__ClientSecret: {
    kind: { type: "text" },
    secret: true,
    about: "Client secret of the registration.",
  },
  Host__Authentication__Microsoft__TenantId: {
    kind: { type: "text" },
    otherwise: "required for Microsoft",
    about:
      "Id of the directory whose members may sign in, a GUID. `common`, `organizations`, " +
      "`consumers` and domain names are not accepted.",
  },
  Host__Authentication__Microsoft__AllowedEmailDomains: {
    kind: { type: "list", of: { type: "host-name" } },
    otherwise: "all members",
    about:
      "Domains that members need, compared exactly. Requires the optional claim `upn`, or " +
      "`email` together with `xms_edov`, in the registration.",
  },
  Host__Authentication__Microsoft__RequiredGroupIds: {
    kind: LIST,
    otherwise: "all members",
    about: "Object ids of groups; a person needs one of them.",
  },
  Host__Authentication__Microsoft__AdminRoleGroupIds: {
    kind: LIST,
    about: "Object ids of groups whose members are administrators.",
  },
  Host__Authentication__Microsoft__PublisherRoleGroupIds: {
    kind: LIST,
    about: "Object ids of groups whose members are publishers.",
  },
  Host__Authentication__Microsoft__ConsumerRoleGroupIds: {
    kind: LIST,
    about:
      "Object ids of groups whose members are consumers. With this setting, a person without any " +
      "role group may not sign in.",
  },
  Host__Authentication__Microsoft__AllowGuests: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Lets guests of the directory sign in.",
  },
  Host__Authentication__Microsoft__Instance: {
    kind: { type: "url" },
    fallback: "https://login.microsoftonline.com",
    about:
      "Address of the sign-in service; `https://login.microsoftonline.us` and " +
      "`https://login.partner.microsoftonline.cn` are those of sovereign clouds.",
  },
  Host__Authentication__Microsoft__GraphBaseUrl: {
    kind: { type: "url" },
    otherwise: "that of the instance",
    about: "Address of Microsoft Graph, which lists the groups of people in many groups.",
  },
} as const satisfies SettingsTable;

const GOOGLE = {
  Host__Authentication__Google__ClientId: {
    kind: { type: "text" },
    about: "Client id of the OAuth client at Google.",
  },
  Host__Authentication__Google__ClientSecret: {
    kind: { type: "text" },
    secret: true,
    about: "Client secret of the OAuth client.",
  },
  Host__Authentication__Google__HostedDomain: {
    kind: { type: "list", of: { type: "host-name" } },
    otherwise: "required for Google",
    about: "Domains of the Google Workspace organization whose members may sign in.",
  },
  Host__Authentication__Google__RequiredGroupIds: {
    kind: LIST,
    about: "Accepted without effect: Google's ID tokens have no groups.",
  },
  Host__Authentication__Google__Issuer: {
    kind: { type: "url" },
    fallback: "https://accounts.google.com",
    about: "Issuer of the ID tokens.",
  },
} as const satisfies SettingsTable;

const GITHUB = {
  Host__Authentication__GitHub__ClientId: {
    kind: { type: "text" },
    about: "Client id of the OAuth app at GitHub.",
  },
  Host__Authentication__GitHub__ClientSecret: {
    kind: { type: "text" },
    secret: true,
    about: "Client secret of the OAuth app.",
  },
  Host__Authentication__GitHub__Organization: {
    kind: { type: "text" },
    otherwise: "required for GitHub",
    about: "Login of the organization whose members may sign in.",
  },
  Host__Authentication__GitHub__OrganizationId: {
    kind: { type: "integer", min: 1, max: 1e15 },
    otherwise: "the organization that has the login at the first sign-in",
    about:
      "Numeric id of the organization. Another organization that gets the login after a rename " +
      "or deletion is refused.",
  },
  Host__Authentication__GitHub__TeamSlugs: {
    kind: LIST,
    otherwise: "all members",
    about: "Slugs of teams of the organization; a person needs one of them.",
  },
  Host__Authentication__GitHub__AdminRoleTeamSlugs: {
    kind: LIST,
    about: "Slugs of teams whose members are administrators.",
  },
  Host__Authentication__GitHub__PublisherRoleTeamSlugs: {
    kind: LIST,
    about: "Slugs of teams whose members are publishers.",
  },
  Host__Authentication__GitHub__ConsumerRoleTeamSlugs: {
    kind: LIST,
    about:
      "Slugs of teams whose members are consumers. With this setting, a person without any team " +
      "with a role may not sign in.",
  },
  Host__Authentication__GitHub__BaseUrl: {
    kind: { type: "url" },
    fallback: "https://github.com",
    about: "Address of GitHub's pages; another one for GitHub Enterprise.",
  },
  Host__Authentication__GitHub__ApiBaseUrl: {
    kind: { type: "url" },
    otherwise: "that of the pages: `https://api.github.com`, or `…/api/v3` of a server",
    about: "Address of GitHub's API.",
  },
} as const satisfies SettingsTable;

/** Settings of the identity providers at which people sign in. */
export const SIGN_IN_SETTINGS = {
  ...GENERAL,
  ...MICROSOFT,
  ...GOOGLE,
  ...GITHUB,
} as const satisfies SettingsTable;
