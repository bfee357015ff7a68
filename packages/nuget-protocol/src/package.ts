// What reads and publishes package files. An entry of its own, because reading a feed needs none of
// it and a host starts sooner without.
export { ArchiveError } from "./archive/archive-error.ts";
export type { CatalogEvent, CatalogPorts } from "./catalog/write-catalog.ts";
export { writeCatalog } from "./catalog/write-catalog.ts";
export type { InflationLimits } from "./archive/check-content.ts";
export { INFLATION_LIMITS } from "./archive/check-content.ts";
export type { EmbeddedFile, EmbeddedKind } from "./embedded-file.ts";
export { readEmbeddedFile } from "./embedded-file.ts";
export { isLicenseExpression } from "./license-expression.ts";
export { packageBytes } from "./multipart.ts";
export type { Nupkg } from "./nupkg.ts";
export { openNupkg } from "./nupkg.ts";
export type {
  Dependency,
  DependencyGroup,
  License,
  Nuspec,
  NuspecOutcome,
  PackageType,
  Repository,
} from "./nuspec.ts";
export { isSemVer2Nuspec, parseNuspec } from "./nuspec.ts";
export type { Overwrites, PackagePast, PublishOutcome, PublishPorts, Upload } from "./publish.ts";
export { publish } from "./publish.ts";
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
export { isTargetFramework } from "./target-framework.ts";
export type { PackageVerdict, ReadPackage } from "./validate-package.ts";
export { validatePackage } from "./validate-package.ts";
