import type { NpmPackage } from "../ports.ts";
import type { StoredNpmVersion } from "../npm-version.ts";

/** A package without its versions. */
export type NpmSummary = Omit<NpmPackage, "versions"> & { readonly versionCount: number };

/** One version, for people. */
export type NpmVersionDetails = Omit<StoredNpmVersion, "provenance"> & {
  /** Who published it. */
  readonly publishedBy: string;
  readonly downloads: number;
  /** Bytes of the tarball. */
  readonly size: number;
};

/** One version in the history of a package. */
export type NpmVersionLine = Pick<
  NpmVersionDetails,
  "version" | "publishedAt" | "downloads" | "unpackedSize" | "deprecated"
>;

/**
 * Data of pages: a package, one of its versions, its history page by page. No call reads all
 * versions, however many a package has.
 */
export interface NpmHistory {
  /** Undefined when the package does not exist or has no versions. */
  summary(name: string): Promise<NpmSummary | undefined>;
  version(name: string, version: string): Promise<NpmVersionDetails | undefined>;
  /** The most recently published version comes first. */
  newest(
    name: string,
    page: { readonly from: number; readonly size: number },
  ): Promise<readonly NpmVersionLine[]>;
}
