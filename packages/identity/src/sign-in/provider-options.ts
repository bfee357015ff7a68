import type { SignInConfig } from "./provider-config.ts";

/** Remembers over restarts which organization a login named first. */
export interface KnownOrganization {
  /** The id that was kept for the URL of an organization, unless another URL was kept since. */
  find(url: string): Promise<number | undefined>;
  /** Replaces the former URL and id. */
  keep(url: string, id: number): Promise<void>;
}

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
  /** For GitHub without a configured id. Default: the process remembers it. */
  readonly knownOrganization?: KnownOrganization;
};

/** The options of one provider, with its own settings. */
export type ProviderParts<Config> = SignInProviderOptions &
  Omit<SignInConfig, "provider"> & { readonly provider: Config };
