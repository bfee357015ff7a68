import type { Refusal, Severity, VersionHistory } from "../kit/page/model.ts";
import type { NameLinks } from "../kit/links/name-links.ts";
import type { WithheldVersion } from "../kit/packages/withheld-versions.ts";
import type { ReadmeText } from "../readme/readme-text.ts";

/** Search parameters for npm packages. */
export type NpmQuery = {
  /** Words and qualifiers in the syntax of `npm search`. */
  readonly text: string;
  /** Whether to include deprecated packages. */
  readonly deprecated: boolean;
  /** Whether to include prereleases and versions below 1.0.0. */
  readonly unstable: boolean;
  readonly skip: number;
  readonly take: number;
};

/** Outcome of a search for npm packages. */
export type NpmSearchAnswer =
  | { readonly status: "found"; readonly totalHits: number; readonly hits: readonly NpmHit[] }
  | Refusal;

/** A package in a search result, with the data of its `latest` version. */
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

/** Outcome of a request for an npm package page. */
export type NpmPackageAnswer =
  | { readonly status: "found"; readonly page: NpmPage }
  /** `near`: a few similar names, most similar first. */
  | {
      readonly status: "absent";
      readonly near: readonly string[];
      readonly withheld?: readonly WithheldVersion[];
    }
  | Refusal;

/** Contents of the page of one version. Text from manifests is untrusted and of any length. */
export type NpmPage = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** All dist-tags of the package, `latest` first. */
  readonly tags: readonly NpmTag[];
  readonly maintainers: readonly string[];
  readonly publishedAt: Date;
  readonly publishedBy: string;
  readonly isPrerelease: boolean;
  /** The deprecation message. */
  readonly deprecated?: string | undefined;
  readonly advisories: readonly NpmPageAdvisory[];
  /** Downloads of this version. */
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
  /** Supported engines, such as `node` with `>=24`. */
  readonly engines: readonly NpmRange[];
  /** Names of the commands in `bin`. */
  readonly commands: readonly string[];
  /** Names of the scripts that clients run during installation. */
  readonly installScripts: readonly string[];
  readonly dependencies: readonly NpmDependencyGroup[];
  /** Links of the dependencies, by name. */
  readonly links: NameLinks;
  readonly dependents: { readonly totalHits: number; readonly names: readonly string[] };
  readonly signature: NpmSignature;
  readonly provenance: readonly NpmProvenance[];
  /** npm stores one readme per package, not per version. */
  readonly readme: ReadmeText;
  readonly history: VersionHistory;
  /** Versions that are held back or denied; also some that are not stored here. */
  readonly withheld?: readonly WithheldVersion[];
  /** Whether the caller may manage the package. */
  readonly isManaged?: boolean;
};

/** A dist-tag and the version that it points to. */
export type NpmTag = { readonly tag: string; readonly version: string };
/** A name with the version range of it. */
export type NpmRange = { readonly name: string; readonly range: string };

/** `text` is the manifest's license, usually an SPDX expression. */
export type NpmLicense = { readonly text: string; readonly url?: string | undefined };

/** `url` is unchanged from the manifest, in any format that npm allows. */
export type NpmRepository = {
  readonly url: string;
  /** The package's folder in it. */
  readonly directory?: string | undefined;
};

/** A security advisory about the version. */
export type NpmPageAdvisory = {
  readonly severity: Severity;
  readonly title: string;
  readonly url: string;
  readonly versions: string;
  readonly advisoryId?: string | undefined;
};

/** The dependencies of one kind. */
export type NpmDependencyGroup = {
  readonly kind: "needed" | "optional" | "peer" | "optional-peer" | "development";
  readonly entries: readonly NpmDependency[];
};

/** A dependency with its version range. */
export type NpmDependency = NpmRange & {
  /** Real name of the package, when `name` is an alias. */
  readonly target?: string | undefined;
};

/** Result of verifying the registry signature of the version for this page. */
export type NpmSignature =
  | { readonly status: "signed"; readonly keyId: string }
  /** The signature does not verify with any published key. */
  | { readonly status: "wrong" }
  /** This version has no signature, although the registry signs packages. */
  | { readonly status: "unsigned" }
  /** The registry has not published any key. */
  | { readonly status: "off" };

/** Claims of a provenance attestation, and the result of verifying it for this page. */
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
