import type { ProviderName } from "./provider.ts";

/** The registration of this registry at an identity provider. */
export type ClientRegistration = {
  readonly clientId: string;
  readonly clientSecret: string;
};

/** Groups of the provider that decide about sign-ins and roles. */
export type GroupRules = {
  /** A person needs one of these; empty = no group is required. */
  readonly required: readonly string[];
  readonly administrators: readonly string[];
  readonly publishers: readonly string[];
  /** If not empty, a person needs a group of any role. */
  readonly consumers: readonly string[];
};

/** Settings of Microsoft Entra ID. */
export type MicrosoftConfig = ClientRegistration & {
  readonly name: "microsoft";
  /** GUID, lower-case. */
  readonly tenantId: string;
  /** Without a trailing slash, like all addresses here. */
  readonly instance: string;
  readonly graphBaseUrl: string;
  /** Lower-case; empty = all. */
  readonly allowedEmailDomains: readonly string[];
  readonly allowsGuests: boolean;
  /** Lower-case GUIDs. */
  readonly groups: GroupRules;
};

/** Settings of Google. */
export type GoogleConfig = ClientRegistration & {
  readonly name: "google";
  /** Lower-case; at least one. */
  readonly hostedDomains: readonly string[];
  readonly issuer: string;
};

/** Settings of GitHub. */
export type GitHubConfig = ClientRegistration & {
  readonly name: "github";
  readonly organization: string;
  readonly organizationId?: number;
  /** Lower-case slugs. */
  readonly groups: GroupRules;
  readonly baseUrl: string;
  readonly apiBaseUrl: string;
};

/** Settings of the one provider in use. */
export type ProviderConfig = MicrosoftConfig | GoogleConfig | GitHubConfig;

/** Settings of the sign-in at an identity provider. */
export type SignInConfig = {
  readonly provider: ProviderConfig;
  /** Milliseconds between two checks of a membership. */
  readonly revalidateMs: number;
  readonly requiresMfa: boolean;
  /** Values of `acr` and `acrs` that confirm a second factor. */
  readonly mfaContexts: readonly string[];
  /** Names that users without a second factor only read. */
  readonly mfaPatterns: readonly string[];
  /** Sentences for the log. */
  readonly warnings: readonly string[];
};

/** Names of the providers for people. */
export const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = {
  microsoft: "Microsoft",
  google: "Google",
  github: "GitHub",
};

/** Groups that the configuration names, each once. */
export function namedGroups(rules: GroupRules): readonly string[] {
  const { required, administrators, publishers, consumers } = rules;
  return [...new Set([...required, ...administrators, ...publishers, ...consumers])];
}
