import type { AccessRules } from "@sealhouse/identity";
import type {
  AdvisoryLookup,
  CertificateList,
  DependentsLookup,
  PackageLookup,
  PackageSearch,
  PackageTotals,
} from "@sealhouse/nuget-protocol";
import type { Site } from "../kit/page/model.ts";
import type { NamePlaces } from "../kit/links/name-links.ts";
import type { WithheldVersions } from "../kit/packages/withheld-versions.ts";
import type { ManagesName } from "../kit/links/name-address.ts";

/** Lookups and access rules of the NuGet pages. */
export type NuGetLookups = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly nuget: {
    readonly lookup: PackageLookup;
    readonly search: PackageSearch & DependentsLookup;
    readonly advisories: AdvisoryLookup;
    readonly totals: PackageTotals;
    readonly certificates: CertificateList;
  };
  /** Storage of the package files. */
  readonly packageFiles: PackageFiles;
  /** Whether the registry signs packages. When false, it serves no earlier signature either. */
  readonly signsPackages: boolean;
  /** By lower-case id and version. Undefined = no version is ever held back or denied. */
  readonly withheldNuGet?: WithheldVersions | undefined;
  readonly nugetPlaces: NamePlaces;
  readonly managesName?: ManagesName | undefined;
};

export type PackageFiles = {
  /** Reads bytes from `start` up to, but excluding, `end`. */
  read(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): AsyncIterable<Uint8Array>;
};
