export { createAdministrationApp } from "./administration/administration-app.ts";
export type { AdministrationSources } from "./administration/model.ts";
export { createConsoleApp } from "./front/console-app.ts";
export type { ConsolePorts } from "./front/console-app.ts";
export { guideFor } from "./front/guides.ts";
export type { Guide, Step } from "./front/guides.ts";
export type { FrontPageModel, SigningCertificate, SigningState } from "./front/model.ts";
export type {
  LatestPackage,
  Refusal,
  Severity,
  Site,
  VersionHistory,
  VersionLine,
  Visitor,
} from "./kit/page/model.ts";
export { notFoundResponse, wantsPage } from "./kit/refusals/not-found-page.ts";
export { createOlderAddressesApp } from "./older-addresses.ts";
export { parsePublicAddress } from "./kit/page/public-address.ts";
export type { PublicAddress } from "./kit/page/public-address.ts";
export { createImagesApp } from "./images/images-app.ts";
export type { ImagesPorts } from "./images/images-app.ts";
export type { ImageNamed } from "./kit/links/image-address.ts";
export type {
  AttachedRow,
  DeletionAnswer,
  DeletionPreview,
  DeletionPreviewAnswer,
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
export { createNamesApp } from "./names/names-app.ts";
export type { NameSources } from "./names/name-sources.ts";
export { createNpmPackagesApp } from "./npm/npm-packages-app.ts";
export type { NpmPackagesPorts } from "./npm/npm-packages-app.ts";
export type { NpmNamed } from "./kit/links/npm-address.ts";
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
export { createPackagesApp } from "./nuget/packages-app.ts";
export type { From } from "./kit/page/shown-page.ts";
export type { PackagesPorts } from "./nuget/packages-app.ts";
export type { PackagesOptions, ReadmeLimits, ReadmeRenderer } from "./readme/readme-renderer.ts";
export type { PageOfVersions } from "./kit/packages/version-pages.ts";
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
  RepositoryMetadata,
} from "./nuget/model.ts";
export type { NameLink, NameLinks, NamePlaces } from "./kit/links/name-links.ts";
export { createReadmeRenderer } from "./readme/readme-renderer.ts";
export type { ReadmeText, RenderedReadme } from "./readme/readme-text.ts";
export { createSignInApp } from "./sign-in/sign-in-app.ts";
export type { SignInPorts } from "./sign-in/sign-in-app.ts";
export type { SignInPage } from "./sign-in/sign-in-page.ts";
export { createTrustApp } from "./trust/trust-app.ts";
export type { TrustPorts } from "./trust/trust-app.ts";
export type { TrustedCertificate, TrustPage } from "./trust/model.ts";
export { createRegistryPages } from "./registry-pages.ts";
export type { RegistrySources } from "./registry-pages.ts";
export { siteOf } from "./sign-in/session-site.ts";
export type { SiteParts } from "./sign-in/session-site.ts";
export { sessionSources } from "./sign-in/session-sources.ts";
export type { SessionSourceParts } from "./sign-in/session-sources.ts";
export { createPageForms } from "./kit/forms/page-forms.ts";
export type { PageForms } from "./kit/forms/page-forms.ts";
export type { SessionPorts } from "./sign-in/session-ports.ts";
