// What reads and publishes package files. An entry of its own, because reading a feed needs none of
// it and a host starts sooner without.
export { ArchiveError } from "./archive/archive-error.ts";
export type { InflationLimits } from "./archive/check-content.ts";
export { INFLATION_LIMITS } from "./archive/check-content.ts";
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
export type { PublishOutcome, PublishPorts, Upload } from "./publish.ts";
export { publish } from "./publish.ts";
export { isTargetFramework } from "./target-framework.ts";
export type { PackageVerdict, ReadPackage } from "./validate-package.ts";
export { validatePackage } from "./validate-package.ts";
