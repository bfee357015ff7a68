import type { NameLinks } from "../kit/links/name-links.ts";
import type { WithheldVersion } from "../kit/packages/withheld-versions.ts";
import type { ReadmeText } from "../readme/readme-text.ts";
import type { Refusal, Severity, VersionHistory } from "../kit/page/model.ts";

/** Search parameters for NuGet packages; an empty text matches all. */
export type PackageQuery = {
  readonly text: string;
  readonly prerelease: boolean;
  readonly packageType: string;
  readonly framework: string;
  readonly skip: number;
  readonly take: number;
};

/** Outcome of a search for NuGet packages. */
export type PackageSearchAnswer =
  | {
      readonly status: "found";
      readonly totalHits: number;
      readonly hits: readonly PackageHit[];
    }
  /** The query is invalid; `problem` explains it in a sentence. */
  | { readonly status: "invalid"; readonly problem: string }
  | Refusal;

/** A package in a search result, with the data of its matching version. */
export type PackageHit = {
  readonly id: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly authors: string;
  /** Publishers of any version. */
  readonly owners: readonly string[];
  readonly tags: readonly string[];
  readonly hasIcon: boolean;
  /** Downloads of all versions. */
  readonly downloads: number;
  readonly publishedAt: Date;
  readonly isPrerelease: boolean;
  readonly packageTypes: readonly string[];
  readonly deprecated: boolean;
  /** The highest severity among the advisories for the version. */
  readonly severity?: Severity | undefined;
};

/** Outcome of a request for a NuGet package page. */
export type PackageAnswer =
  | { readonly status: "found"; readonly page: PackagePage }
  /** `near`: a few similar ids, most similar first. */
  | {
      readonly status: "absent";
      readonly near: readonly string[];
      readonly withheld?: readonly WithheldVersion[];
    }
  | Refusal;

/** Outcome of a request for a license file. */
export type LicenseAnswer =
  | {
      readonly status: "found";
      readonly id: string;
      readonly version: string;
      readonly license: ReadmeText;
    }
  | {
      readonly status: "absent";
      readonly near: readonly string[];
      readonly withheld?: readonly WithheldVersion[];
    }
  | Refusal;

/** Contents of the page of one version. */
export type PackagePage = {
  readonly id: string;
  /** Normal form, without build metadata. */
  readonly version: string;
  readonly fullVersion: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly authors: string;
  /** Publishers of any version. */
  readonly owners: readonly string[];
  readonly tags: readonly string[];
  readonly hasIcon: boolean;
  readonly packageTypes: readonly string[];
  readonly developmentDependency: boolean;
  readonly isPrerelease: boolean;
  readonly listed: boolean;
  readonly publishedAt: Date;
  /** Downloads of this version; `allDownloads` counts all versions. */
  readonly downloads: number;
  readonly allDownloads: number;
  /** Size in bytes of the file as the publisher pushed it. */
  readonly size: number;
  readonly signature?: PackageSignature | undefined;
  readonly deprecation?: PackageDeprecation | undefined;
  readonly advisories: readonly PackageAdvisory[];
  readonly frameworks: readonly string[];
  readonly dependencyGroups: readonly DependencyGroup[];
  /** Links of the dependencies and the alternate package, by lower-cased id. */
  readonly links: NameLinks;
  readonly dependents: Dependents;
  readonly license?: PackageLicense | undefined;
  readonly projectUrl?: string | undefined;
  readonly repository?: RepositoryMetadata | undefined;
  readonly releaseNotes?: string | undefined;
  readonly copyright?: string | undefined;
  readonly minClientVersion?: string | undefined;
  readonly readme: ReadmeText;
  readonly history: VersionHistory;
  /** The newest listed version that is at least as stable as this one, when it is newer. */
  readonly newer?: { readonly version: string; readonly isPrerelease: boolean } | undefined;
  /** Versions that are held back or denied; also some that are not stored here. */
  readonly withheld?: readonly WithheldVersion[];
  /** Whether the caller may manage the package. */
  readonly isManaged?: boolean;
};

/** The repository signature of a version. */
export type PackageSignature = {
  /** SHA-256 of the certificate, hex. */
  readonly fingerprint: string;
  /** Undefined when the registry no longer stores the certificate. */
  readonly subject?: string | undefined;
  readonly signedAt: Date;
};

/** The deprecation of a version. */
export type PackageDeprecation = {
  readonly reasons: readonly string[];
  readonly message?: string | undefined;
  /** `range` in NuGet's notation, `*` for any. */
  readonly alternatePackage?: { readonly id: string; readonly range: string } | undefined;
};

/** A security advisory about the version. */
export type PackageAdvisory = {
  readonly severity: Severity;
  readonly url: string;
  readonly versions: string;
  readonly advisoryId?: string | undefined;
};

/** Dependencies for a target framework; undefined applies to any framework. */
export type DependencyGroup = {
  readonly targetFramework?: string | undefined;
  readonly dependencies: readonly { readonly id: string; readonly range: string }[];
};

/** Packages that depend on a package, with their total number. */
export type Dependents = {
  readonly totalHits: number;
  readonly packages: readonly {
    readonly id: string;
    readonly description: string;
    readonly downloads: number;
  }[];
};

/** The license of a version, in one of the three forms of a nuspec. */
export type PackageLicense =
  | { readonly type: "expression"; readonly text: string }
  /** The package contains the license file, which has its own page. */
  | { readonly type: "file" }
  | { readonly type: "url"; readonly url: string };

/** The source repository that the nuspec names. */
export type RepositoryMetadata = {
  readonly url?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
};
