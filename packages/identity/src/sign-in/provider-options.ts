import type { SignInConfig } from "./provider-config.ts";

/** Parts of the host that a provider uses. */
export type SignInProviderOptions = {
  /** `fetch` for outgoing requests of the host, which refuses private addresses. */
  readonly fetch: typeof fetch;
  readonly now: () => Date;
  /**
   * Further groups to report, such as those of teams: object ids of Microsoft, team slugs of
   * GitHub. Default: none.
   */
  readonly teamGroups?: () => Promise<readonly string[]>;
};

/** The options of one provider, with its own settings. */
export type ProviderParts<Config> = SignInProviderOptions &
  Omit<SignInConfig, "provider"> & { readonly provider: Config };
