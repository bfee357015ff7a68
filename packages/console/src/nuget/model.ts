import type { ReadmeText } from "../readme/readme-text.ts";
import type { Refusal, Severity, VersionHistory } from "../kit/model.ts";

/** What the search form asks for; empty texts mean "any". */
export type PackageQuery = {
  readonly text: string;
  readonly prerelease: boolean;
  readonly packageType: string;
  readonly framework: string;
  readonly skip: number;
  readonly take: number;
};

export type PackageSearchAnswer =
  | {
      readonly status: "found";
      readonly totalHits: number;
      readonly hits: readonly PackageHit[];
    }
  /** The search cannot be understood; a sentence says why. */
  | { readonly status: "invalid"; readonly problem: string }
  | Refusal;

export type PackageHit = {
  readonly id: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly authors: string;
  /** Who has published versions of it. */
  readonly owners: readonly string[];
  readonly tags: readonly string[];
  readonly hasIcon: boolean;
  /** Of all versions. */
  readonly downloads: number;
  readonly publishedAt: Date;
  readonly isPrerelease: boolean;
  readonly packageTypes: readonly string[];
  readonly deprecated: boolean;
  /** The worst of what is known about the version. */
  readonly severity?: Severity | undefined;
};

export type PackageAnswer =
  | { readonly status: "found"; readonly page: PackagePage }
  /** `near`: ids that look like it, best first; short. */
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

export type LicenseAnswer =
  | {
      readonly status: "found";
      readonly id: string;
      readonly version: string;
      readonly license: ReadmeText;
    }
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

/** All that the page of one version shows. */
export type PackagePage = {
  readonly id: string;
  /** Normal form, without build metadata. */
  readonly version: string;
  readonly fullVersion: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly authors: string;
  /** Who has published versions of it. */
  readonly owners: readonly string[];
  readonly tags: readonly string[];
  readonly hasIcon: boolean;
  readonly packageTypes: readonly string[];
  readonly developmentDependency: boolean;
  readonly isPrerelease: boolean;
  readonly listed: boolean;
  readonly publishedAt: Date;
  /** Of this version, and of all. */
  readonly downloads: number;
  readonly allDownloads: number;
  /** Bytes, as received. */
  readonly size: number;
  readonly signature?: PackageSignature | undefined;
  readonly deprecation?: PackageDeprecation | undefined;
  readonly advisories: readonly PackageAdvisory[];
  readonly frameworks: readonly string[];
  readonly dependencyGroups: readonly DependencyGroup[];
  readonly dependents: Dependents;
  readonly license?: PackageLicense | undefined;
  readonly projectUrl?: string | undefined;
  readonly repository?: Repository | undefined;
  readonly releaseNotes?: string | undefined;
  readonly copyright?: string | undefined;
  readonly minClientVersion?: string | undefined;
  readonly readme: ReadmeText;
  readonly history: VersionHistory;
  /** The newest listed version that is at least as stable as this one, when it is newer. */
  readonly newer?: { readonly version: string; readonly isPrerelease: boolean } | undefined;
};

export type PackageSignature = {
  /** SHA-256 of the certificate, hex. */
  readonly fingerprint: string;
  /** Undefined when the certificate is not known any more. */
  readonly subject?: string | undefined;
  readonly signedAt: Date;
};

export type PackageDeprecation = {
  readonly reasons: readonly string[];
  readonly message?: string | undefined;
  /** `range` in NuGet's notation, `*` for any. */
  readonly alternatePackage?: { readonly id: string; readonly range: string } | undefined;
};

export type PackageAdvisory = {
  readonly severity: Severity;
  readonly url: string;
  readonly versions: string;
  readonly advisoryId?: string | undefined;
};

/** Without a framework it is for any. */
export type DependencyGroup = {
  readonly targetFramework?: string | undefined;
  readonly dependencies: readonly { readonly id: string; readonly range: string }[];
};

export type Dependents = {
  readonly totalHits: number;
  readonly packages: readonly {
    readonly id: string;
    readonly description: string;
    readonly downloads: number;
  }[];
};

export type PackageLicense =
  | { readonly type: "expression"; readonly text: string }
  /** It lies in the package and has a page of its own. */
  | { readonly type: "file" }
  | { readonly type: "url"; readonly url: string };

export type Repository = {
  readonly url?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
};
