import type { NameOrigins, PackageSource, SourceAdministration } from "@sealhouse/upstream-sources";

/** The sources of a registry, as actions use them. */
export type RegistrySources = {
  readonly administration: SourceAdministration;
  readonly origins: Pick<NameOrigins, "release" | "reserve">;
  /** Sources of the settings, which count while the database has none. */
  readonly configured: readonly PackageSource[];
  /** Values of new sources that the input leaves open. */
  readonly fallbacks: Pick<PackageSource, "strategy" | "signaturePolicy">;
  /** `Mirror__Enabled`. */
  readonly isMirrorEnabled: boolean;
};

export type SourceParts = { sources(): Promise<RegistrySources> };
