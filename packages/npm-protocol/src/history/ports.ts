import type { NpmPackage } from "../ports.ts";
import type { NpmVersion } from "../npm-version.ts";

/** A package without its versions. */
export type NpmSummary = Omit<NpmPackage, "versions"> & { readonly versionCount: number };

/** One version, for people. */
export type NpmVersionDetails = Omit<NpmVersion, "provenance"> & {
  /** Who published it. */
  readonly publishedBy: string;
  readonly downloads: number;
  /** Bytes of the tarball. */
  readonly size: number;
};

export type NpmVersionLine = Pick<
  NpmVersionDetails,
  "version" | "publishedAt" | "downloads" | "unpackedSize" | "deprecated"
>;

/** What people look at: a package, one of its versions, its history page by page. Whatever the
 * package has of versions, no call reads them all. */
export interface NpmHistory {
  /** Undefined where there is no such package, or none of its versions is left. */
  summary(name: string): Promise<NpmSummary | undefined>;
  version(name: string, version: string): Promise<NpmVersionDetails | undefined>;
  /** What was published last comes first. */
  newest(
    name: string,
    page: { readonly from: number; readonly size: number },
  ): Promise<readonly NpmVersionLine[]>;
}
