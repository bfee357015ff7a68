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
