import type { Refusal, Severity, VersionHistory } from "../kit/model.ts";
import type { ReadmeText } from "../readme/readme-text.ts";

/** What the form of the npm search asks for. */
export type NpmQuery = {
  /** Words and qualifiers, as `npm search` takes them. */
  readonly text: string;
  /** Whether deprecated packages are shown. */
  readonly deprecated: boolean;
  /** Whether versions below 1.0.0 and prereleases are shown. */
  readonly unstable: boolean;
  readonly skip: number;
  readonly take: number;
};

export type NpmSearchAnswer =
  | { readonly status: "found"; readonly totalHits: number; readonly hits: readonly NpmHit[] }
  | Refusal;

/** A package by the version that `latest` points to. */
export type NpmHit = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly string[];
  readonly publishedAt: Date;
  readonly isPrerelease: boolean;
  readonly deprecated: boolean;
};

export type NpmPackageAnswer =
  | { readonly status: "found"; readonly page: NpmPage }
  /** `near`: names that look like it, best first; short. */
  | { readonly status: "absent"; readonly near: readonly string[] }
  | Refusal;

/** All that the page of one version shows. Texts are as their authors wrote them: of any length,
 * with anything in them. */
export type NpmPage = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Those that point to any version, `latest` first. */
  readonly tags: readonly NpmTag[];
  readonly maintainers: readonly string[];
  readonly publishedAt: Date;
  readonly publishedBy: string;
  readonly isPrerelease: boolean;
  /** What was said when it was deprecated. */
  readonly deprecated?: string | undefined;
  readonly advisories: readonly NpmPageAdvisory[];
  /** Of this version. */
  readonly downloads: number;
  /** Bytes of the tarball. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly fileCount: number;
  readonly integrity: string;
  readonly license?: NpmLicense | undefined;
  readonly homepage?: string | undefined;
  readonly repository?: NpmRepository | undefined;
  readonly bugs?: string | undefined;
  /** What it runs on: `node`, `>=24`. */
  readonly engines: readonly NpmRange[];
  /** Names of the commands it brings. */
  readonly commands: readonly string[];
  /** Which of its scripts run when it is installed. */
  readonly installScripts: readonly string[];
  readonly dependencies: readonly NpmDependencyGroup[];
  readonly dependents: { readonly totalHits: number; readonly names: readonly string[] };
  readonly signature: NpmSignature;
  readonly provenance: readonly NpmProvenance[];
  /** Kept for the package, not for each version. */
  readonly readme: ReadmeText;
  readonly history: VersionHistory;
};

export type NpmTag = { readonly tag: string; readonly version: string };
export type NpmRange = { readonly name: string; readonly range: string };

/** `text` is what stands in the manifest: an expression as a rule. */
export type NpmLicense = { readonly text: string; readonly url?: string | undefined };

/** `url` in any of the forms that manifests have. */
export type NpmRepository = {
  readonly url: string;
  /** The package's folder in it. */
  readonly directory?: string | undefined;
};

export type NpmPageAdvisory = {
  readonly severity: Severity;
  readonly title: string;
  readonly url: string;
  readonly versions: string;
  readonly advisoryId?: string | undefined;
};

export type NpmDependencyGroup = {
  readonly kind: "needed" | "optional" | "peer" | "optional-peer" | "development";
  readonly entries: readonly NpmDependency[];
};

export type NpmDependency = NpmRange & {
  /** The package that is meant, when `name` is an alias of it. */
  readonly target?: string | undefined;
};

/** Whether the registry vouches for what it serves, checked for this page. */
export type NpmSignature =
  | { readonly status: "signed"; readonly keyId: string }
  /** It has a signature, and none that fits a key clients are told of. */
  | { readonly status: "wrong" }
  /** Others are signed, this one is not. */
  | { readonly status: "unsigned" }
  /** Clients are told of no key: nothing is signed here, or not yet. */
  | { readonly status: "off" };

/** What the statement says about itself, and what checking it now came to. */
export type NpmProvenance = {
  readonly predicateType: string;
  readonly verdict:
    | { readonly status: "verified" | "unchecked" }
    | { readonly status: "refused"; readonly reason: string };
  readonly builder?: string | undefined;
  readonly source?: string | undefined;
  readonly commit?: string | undefined;
  readonly workflow?: string | undefined;
};
