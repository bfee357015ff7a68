import type { Settings } from "@sealhouse/settings";
import { TokenSettingError } from "../errors.ts";
import { checkPatterns } from "../name-pattern.ts";
import type {
  ClientRegistration,
  GitHubConfig,
  GoogleConfig,
  ProviderConfig,
  SignInConfig,
} from "../sign-in/provider-config.ts";
import { parseMicrosoft } from "./parse-microsoft.ts";
import { checkAddress, requireText } from "./provider-values.ts";
import { SIGN_IN_SETTINGS } from "./sign-in-table.ts";

const SECTION = "Host__Authentication";
const MFA_PATTERNS = `${SECTION}__RequireMfaPatterns`;
const NEEDS_PROVIDER = "requires an identity provider; configure one";

/**
 * Parses the settings of the identity providers. Undefined without a provider. If several are
 * configured, the first in the order Microsoft, Google, GitHub is used.
 */
export function parseSignIn(settings: Settings): SignInConfig | undefined {
  const own = settings.of(SIGN_IN_SETTINGS);
  const configs = [
    parseMicrosoft(settings, readClient(settings, "Microsoft")),
    parseGoogle(settings, readClient(settings, "Google")),
    parseGitHub(settings, readClient(settings, "GitHub")),
  ].filter((config) => config !== undefined);
  const [provider] = configs;
  const requiresMfa = own.get(`${SECTION}__RequireMfa`);
  const mfaPatterns = parseMfaPatterns(settings, own.get(MFA_PATTERNS));
  const revalidateMs = own.get(`${SECTION}__RevalidateInterval`);
  const mfaContexts = own.get(`${SECTION}__MfaContexts`);
  if (!provider) {
    if (requiresMfa) {
      settings.problem(`${SECTION}__RequireMfa`, NEEDS_PROVIDER);
    }
    if (mfaPatterns.length > 0) settings.problem(MFA_PATTERNS, NEEDS_PROVIDER);
    return undefined;
  }
  const warnings = [...orderWarnings(configs), ...googleWarnings(settings, provider, requiresMfa)];
  return { provider, revalidateMs, requiresMfa, mfaContexts, mfaPatterns, warnings };
}

function parseMfaPatterns(settings: Settings, patterns: readonly string[]): readonly string[] {
  try {
    checkPatterns(patterns);
  } catch (error) {
    if (!(error instanceof TokenSettingError)) throw error;
    settings.problem(MFA_PATTERNS, error.message);
  }
  return patterns;
}

function readClient(
  settings: Settings,
  label: "Microsoft" | "Google" | "GitHub",
): ClientRegistration | undefined {
  const own = settings.of(SIGN_IN_SETTINGS);
  const section = `${SECTION}__${label}` as const;
  if (settings.below(section).every(({ text }) => text.trim() === "")) return undefined;
  const clientId = requireText(settings, `${section}__ClientId`, own.get(`${section}__ClientId`));
  const secretKey = `${section}__ClientSecret` as const;
  const clientSecret = requireText(settings, secretKey, own.get(secretKey));
  return { clientId, clientSecret };
}

function parseGoogle(
  settings: Settings,
  client: ClientRegistration | undefined,
): GoogleConfig | undefined {
  if (!client) return undefined;
  const own = settings.of(SIGN_IN_SETTINGS);
  const domainKey = `${SECTION}__Google__HostedDomain` as const;
  const hostedDomains = own.get(domainKey);
  const isUnset =
    settings.textOf(domainKey) === undefined && settings.below(domainKey).length === 0;
  if (hostedDomains.length === 0 && isUnset) {
    settings.problem(domainKey, "is required: the domain of your Google Workspace organization");
  }
  const issuer = own.get(`${SECTION}__Google__Issuer`);
  checkAddress(settings, `${SECTION}__Google__Issuer`, issuer);
  return { name: "google", ...client, hostedDomains, issuer };
}

function parseGitHub(
  settings: Settings,
  client: ClientRegistration | undefined,
): GitHubConfig | undefined {
  if (!client) return undefined;
  const own = settings.of(SIGN_IN_SETTINGS);
  const organizationKey = `${SECTION}__GitHub__Organization` as const;
  const organization = requireText(settings, organizationKey, own.get(organizationKey));
  if (organization !== "" && !/^[a-z\d](?:[a-z\d-]{0,98}[a-z\d])?$/i.test(organization)) {
    settings.problem(organizationKey, "is not the login of an organization, such as acme-corp");
  }
  const organizationId = own.get(`${SECTION}__GitHub__OrganizationId`);
  const baseUrl = own.get(`${SECTION}__GitHub__BaseUrl`);
  const apiBaseUrl = own.get(`${SECTION}__GitHub__ApiBaseUrl`) ?? apiOf(baseUrl);
  checkAddress(settings, `${SECTION}__GitHub__BaseUrl`, baseUrl);
  checkAddress(settings, `${SECTION}__GitHub__ApiBaseUrl`, apiBaseUrl);
  const slugs = (key: keyof typeof SIGN_IN_SETTINGS & `${string}TeamSlugs`) =>
    own.get(key).map((slug) => parseSlug(settings, key, slug));
  return {
    name: "github",
    ...client,
    organization,
    ...(organizationId !== undefined && { organizationId }),
    groups: {
      required: slugs(`${SECTION}__GitHub__TeamSlugs`),
      administrators: slugs(`${SECTION}__GitHub__AdminRoleTeamSlugs`),
      publishers: slugs(`${SECTION}__GitHub__PublisherRoleTeamSlugs`),
      consumers: slugs(`${SECTION}__GitHub__ConsumerRoleTeamSlugs`),
    },
    baseUrl,
    apiBaseUrl,
  };
}

function parseSlug(settings: Settings, key: string, slug: string): string {
  if (!/^[\w.-]{1,255}$/.test(slug)) {
    settings.problem(key, `"${slug}" is not the slug of a team, such as release-managers`);
  }
  return slug.toLowerCase();
}

/** The API of github.com, of a ghe.com domain, or of an Enterprise Server. */
function apiOf(baseUrl: string): string {
  const { protocol, host } = new URL(baseUrl);
  const hasApiHost = host === "github.com" || host.endsWith(".ghe.com");
  return hasApiHost ? `${protocol}//api.${host}` : `${baseUrl}/api/v3`;
}

function orderWarnings(configs: readonly ProviderConfig[]): readonly string[] {
  const [first, ...others] = configs.map(({ name }) => SECTIONS[name]);
  if (others.length === 0) return [];
  const verb = others.length === 1 ? "is" : "are";
  return [
    `${SECTION} configures ${1 + others.length} identity providers. People sign in with ` +
      `${first}; ${others.join(" and ")} ${verb} not used. Leave out all but one`,
  ];
}

const SECTIONS = { microsoft: "Microsoft", google: "Google", github: "GitHub" } as const;

function googleWarnings(
  settings: Settings,
  provider: ProviderConfig,
  requiresMfa: boolean,
): readonly string[] {
  if (provider.name !== "google") return [];
  const groups = settings.of(SIGN_IN_SETTINGS).get(`${SECTION}__Google__RequiredGroupIds`);
  return [
    ...(groups.length > 0
      ? [
          `${SECTION}__Google__RequiredGroupIds has no effect, because Google's ID tokens have ` +
            "no groups. Leave it out, and limit the users of the OAuth client at Google",
        ]
      : []),
    ...(requiresMfa
      ? [
          `${SECTION}__RequireMfa refuses all sign-ins whose ID token has no claim amr, which ` +
            "Google usually leaves out. Require the second factor in the Admin console instead",
        ]
      : []),
  ];
}
