export { isSourceError, SourceError } from "./source-error.ts";

export type { ImportProgress } from "./import/progress.ts";
export { openImportProgress } from "./import/progress.ts";
export type { Complaint, ImportOutcome, ImportReport } from "./import/report.ts";

export type { NuGetImportPorts } from "./import/nuget/import-candidate.ts";
export type { NuGetFeedSource } from "./import/nuget/import-nuget.ts";
export { importNuGetFeed, importNuGetFolder } from "./import/nuget/import-nuget.ts";
export type { NuGetImportOptions } from "./import/nuget/run-nuget-import.ts";

export type { NpmSelection } from "./import/npm/import-npm.ts";
export { importNpmPackages, openNpmFolder } from "./import/npm/import-npm.ts";
export type { NpmImportPorts } from "./import/npm/import-package.ts";
export type {
  NpmSource,
  PackageNames,
  SourcePackage,
  SourceTarball,
} from "./import/npm/npm-source.ts";
export type { ChoiceOptions, PackageChoice } from "./import/npm/package-choice.ts";
export { parsePackageChoice } from "./import/npm/package-choice.ts";
export { openNpmRegistry } from "./import/npm/registry-source.ts";
export type { NpmImportOptions } from "./import/npm/run-npm-import.ts";

export type { ImageSelection } from "./import/oci/import-oci.ts";
export { importImages, openOciFolder } from "./import/oci/import-oci.ts";
export type { OciSource, SourceImage, SourceRepository } from "./import/oci/oci-source.ts";
export type { RegistryChoice } from "./import/oci/registry-repositories.ts";
export { openOciRegistry } from "./import/oci/registry-repositories.ts";
export type {
  OciImportOptions,
  OciImportPorts,
  OciImportReport,
} from "./import/oci/run-oci-import.ts";
