import { createGitHubProvider } from "./github/github-provider.ts";
import { createGoogleProvider } from "./google-provider.ts";
import { createMicrosoftProvider } from "./microsoft/microsoft-provider.ts";
import type { SignInConfig } from "./provider-config.ts";
import type { SignInProviderOptions } from "./provider-options.ts";
import type { SignInProvider } from "./provider.ts";

/** Makes the configured provider. The first request to it is at the first sign-in. */
export function createSignInProvider(
  { provider, ...config }: SignInConfig,
  options: SignInProviderOptions,
): SignInProvider {
  const parts = { ...config, ...options };
  switch (provider.name) {
    case "microsoft":
      return createMicrosoftProvider({ ...parts, provider });
    case "google":
      return createGoogleProvider({ ...parts, provider });
    case "github":
      return createGitHubProvider({ ...parts, provider });
  }
}

/** Groups of teams, which a provider reports too. */
type TeamGroups = { list(): Promise<readonly { readonly groupRef?: string | undefined }[]> };

/** Makes the configured provider, which also reports the groups of teams; undefined without one. */
export function openSignInProvider(
  config: SignInConfig | undefined,
  { teams, ...options }: Omit<SignInProviderOptions, "teamGroups"> & { readonly teams: TeamGroups },
): SignInProvider | undefined {
  if (!config) return undefined;
  const teamGroups = async () =>
    (await teams.list()).flatMap(({ groupRef }) => (groupRef === undefined ? [] : [groupRef]));
  return createSignInProvider(config, { ...options, teamGroups });
}
