export type { DocumentKind, Hive } from "./document-key.ts";
export { documentGroup, documentKey } from "./document-key.ts";
export { isPackageId } from "./package-id.ts";
export type { PackageVersion } from "./package-version.ts";
export {
  comparePackageVersions,
  compareVersionTexts,
  lowerVersion,
  parsePackageVersion,
} from "./package-version.ts";
export type {
  Authorize,
  Caller,
  CertificateList,
  ListedCertificate,
  NamedBlob,
  NewPackage,
  NuGetPorts,
  PackageContent,
  PackageFiles,
  PackageLookup,
  PackageRecord,
  PackageRecorder,
  PackageSearch,
  PublicAddressOf,
  Seal,
  Sealer,
  SealOutcome,
  SearchHit,
  SearchQuery,
  ServedPackage,
  StagedPackage,
  StoredPackage,
  Verdict,
} from "./ports.ts";
