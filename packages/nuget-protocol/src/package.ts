// Reads and publishes package files. A separate entry, because reading a feed does not need it, and
// a host starts sooner without.
export { ArchiveError } from "./archive/archive-error.ts";
export type { CatalogEvent, CatalogOptions, CatalogPorts } from "./catalog/write-catalog.ts";
export { writeCatalog } from "./catalog/write-catalog.ts";
export type { HashPorts } from "./provenance/hash-files.ts";
export { hashFiles } from "./provenance/hash-files.ts";
export type { InflationLimits } from "./archive/check-content.ts";
export { INFLATION_LIMITS } from "./archive/check-content.ts";
export type { EmbeddedFile, EmbeddedKind } from "./content/embedded-file.ts";
export { readEmbeddedFile } from "./content/embedded-file.ts";
export { isLicenseExpression } from "./notation/license-expression.ts";
export { packageBytes } from "./push/multipart.ts";
export type { Nupkg } from "./archive/nupkg.ts";
export { openNupkg } from "./archive/nupkg.ts";
export type { Nuspec, NuspecOutcome } from "./manifest/nuspec.ts";
export type {
  Dependency,
  DependencyGroup,
  License,
  PackageType,
  RepositoryMetadata,
} from "./manifest/nuspec-parts.ts";
export { isSemVer2Nuspec, parseNuspec } from "./manifest/nuspec.ts";
export type {
  Overwrites,
  PackagePast,
  PublishOutcome,
  PublishPorts,
  Upload,
} from "./push/publish.ts";
export { publish } from "./push/publish.ts";
export type { PortablePdb, PdbReader } from "./symbols/portable-pdb.ts";
export { PortablePdbError, createPdbReader } from "./symbols/portable-pdb.ts";
export type {
  PublishSymbolsOutcome,
  PublishSymbolsPorts,
  SymbolUpload,
} from "./symbols/publish-symbols.ts";
export { publishSymbols } from "./symbols/publish-symbols.ts";
export type {
  ReadSymbolPackage,
  SymbolLimits,
  SymbolPackageVerdict,
} from "./symbols/validate-symbol-package.ts";
export { SYMBOL_LIMITS, validateSymbolPackage } from "./symbols/validate-symbol-package.ts";
export { isTargetFramework } from "./notation/target-framework.ts";
export type { PackageValidity, ReadPackage } from "./push/validate-package.ts";
export { validatePackage } from "./push/validate-package.ts";
