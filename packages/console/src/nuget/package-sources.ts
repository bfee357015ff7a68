import type { AccessRules } from "@sealhouse/identity";
import type {
  AdvisoryLookup,
  CertificateList,
  DependentsLookup,
  PackageLookup,
  PackageSearch,
  PackageTotals,
} from "@sealhouse/nuget-protocol";
import type { Site } from "../kit/model.ts";

/** The data that the pages of NuGet packages show. */
export type PackageSources = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly nuget: {
    readonly lookup: PackageLookup;
    readonly search: PackageSearch & DependentsLookup;
    readonly advisories: AdvisoryLookup;
    readonly totals: PackageTotals;
    readonly certificates: CertificateList;
  };
  /** The stored package files. */
  readonly packageFiles: PackageFiles;
  /** Whether packages are signed; signatures of earlier times are not served otherwise. */
  readonly signsPackages: boolean;
};

export type PackageFiles = {
  /** `end` is not read. */
  read(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): AsyncIterable<Uint8Array>;
};
