export { createConsoleApp } from "./console-app.ts";
export type { ConsolePorts } from "./console-app.ts";
export { guideFor } from "./client-lines.ts";
export type { Guide, Step } from "./client-lines.ts";
export type { FrontPageModel, LatestPackage, SigningCertificate, SigningState } from "./model.ts";
export { unavailableResponse } from "./unavailable-page.ts";
export { notFoundResponse, wantsPage } from "./not-found-page.ts";
export { createOlderAddressesApp } from "./older-addresses.ts";
export { parsePublicAddress } from "./public-address.ts";
export type { PublicAddress } from "./public-address.ts";
export { createImagesApp } from "./images/images-app.ts";
export type { ImagesPorts } from "./images/images-app.ts";
export type { ImageNamed } from "./images/image-address.ts";
export type {
  AttachedRow,
  DeletionAnswer,
  Doomed,
  DoomedAnswer,
  HistoryStep,
  ImageAnswer,
  ImageConfig,
  ImageContents,
  ImagePage,
  ImageSeal,
  LayerRow,
  ManifestRow,
  Pairs,
  PlatformRow,
  RepositoriesAnswer,
  RepositoriesQuery,
  RepositoryAnswer,
  RepositoryHit,
  RepositoryPage,
  RunConfig,
  TagRow,
  TagsQuery,
  TextList,
} from "./images/model.ts";
export { createNpmPackagesApp } from "./npm/npm-packages-app.ts";
export type { NpmPackagesPorts } from "./npm/npm-packages-app.ts";
export type { NpmNamed } from "./npm/npm-address.ts";
export type {
  NpmDependency,
  NpmDependencyGroup,
  NpmHit,
  NpmLicense,
  NpmPackageAnswer,
  NpmPage,
  NpmPageAdvisory,
  NpmProvenance,
  NpmQuery,
  NpmRange,
  NpmRepository,
  NpmSearchAnswer,
  NpmSignature,
  NpmTag,
} from "./npm/model.ts";
export { createPackagesApp } from "./packages/packages-app.ts";
export type { From } from "./shown-page.ts";
export type { PackagesOptions, PackagesPorts, PageOfVersions } from "./packages/packages-app.ts";
export type {
  DependencyGroup,
  Dependents,
  LicenseAnswer,
  PackageAdvisory,
  PackageAnswer,
  PackageDeprecation,
  PackageHit,
  PackageLicense,
  PackagePage,
  PackageQuery,
  PackageSearchAnswer,
  PackageSignature,
  Refusal,
  Repository,
  Severity,
  Site,
  VersionHistory,
  VersionLine,
} from "./packages/model.ts";
export { createReadmeRenderer } from "./readme/readme-renderer.ts";
export type { ReadmeLimits, ReadmeRenderer } from "./readme/readme-renderer.ts";
export type { RenderedReadme } from "./readme/rendered-readme.ts";
export type { ReadmeText } from "./readme/readme-text.ts";
export { TEXT_BYTES_MAX } from "./readme/readme-text.ts";
export { createSignInApp } from "./sign-in/sign-in-app.ts";
export type { SignInPorts } from "./sign-in/sign-in-app.ts";
export type { SignInPage } from "./sign-in/model.ts";
export { createTrustApp } from "./trust/trust-app.ts";
export type { TrustPorts } from "./trust/trust-app.ts";
export type { TrustedCertificate, TrustPage } from "./trust/model.ts";
