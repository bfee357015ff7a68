export { viewDocumentKey } from "./as-of/answer-view.ts";
export type {
  KeptNpmVersion,
  NpmPast,
  NpmViews,
  PastNpmVersion,
  PastPackage,
} from "./as-of/ports.ts";
export type { VisibilityRule } from "./as-of/visible-package.ts";
export { visiblePackage } from "./as-of/visible-package.ts";
export type { PlatformOf } from "./as-of/visible-tags.ts";
export { visibleTags } from "./as-of/visible-tags.ts";
export { readNpmOsv } from "./advisories/osv.ts";
export type {
  NewNpmAdvisory,
  NpmAdvisories,
  NpmAdvisory,
  NpmAdvisoryRecorder,
} from "./advisories/ports.ts";
export { advisoryFixedBy } from "./advisories/fixed-versions.ts";
export { foreignAdvisory } from "./advisories/foreign-advisory.ts";
export { matchAdvisories } from "./advisories/matching.ts";
export { advisoryFingerprint, planNpmReplacement } from "./advisories/replacement.ts";
export { createNpmApp } from "./app.ts";
export type { NpmAppOptions } from "./app.ts";
export { DIST_TAGS_MAX, parseDistTag } from "./dist-tag.ts";
export type { DistTag } from "./dist-tag.ts";
export { wantsAbbreviated } from "./documents/accept.ts";
export type { DocumentAddress } from "./documents/document-address.ts";
export {
  renderAbbreviatedPackument,
  renderDistTags,
  renderPackument,
  renderVersion,
  revisionOf,
  tarballAddress,
} from "./documents/packument.ts";
export type {
  Holder,
  Identified,
  NpmAccounts,
  NpmLogins,
  NpmPermission,
  NpmStepUp,
  NpmToken,
  NpmTokens,
  NpmUser,
  SessionOutcome,
  SignIn,
  SignInQuery,
  SignOut,
  StartedSession,
  StepUpAction,
  NewTokenRequest,
} from "./accounts/ports.ts";
export type { NpmDependents } from "./dependents/ports.ts";
export type { NpmHistory, NpmSummary, NpmVersionDetails, NpmVersionLine } from "./history/ports.ts";
export { NAME_HOLD_MS } from "./lifecycle/ports.ts";
export type { NpmLifecycle } from "./lifecycle/ports.ts";
export { latestOf } from "./lifecycle/latest-version.ts";
export type {
  Maintainer,
  NpmOwners,
  NpmTeam,
  NpmTeams,
  OwnedPackage,
  PackageAccess,
  TeamPermission,
} from "./owners/ports.ts";
export { isNpmError, NpmError } from "./errors.ts";
export type { NpmErrorCode } from "./errors.ts";
export { fitsIntegrity, integrityOf } from "./integrity.ts";
export type { TarballDigests } from "./integrity.ts";
export type { JsonObject } from "./json.ts";
export { NPM_ROUTES } from "./routes/route-table.ts";
export type { NpmRoute } from "./routes/route-table.ts";
export { installFieldsOf } from "./manifest/install-fields.ts";
export type { InstallFields } from "./manifest/install-fields.ts";
export { foreignManifest } from "./manifest/stored-manifest.ts";
export { differingFields } from "./manifest/manifest-confusion.ts";
export { basenameOf, parseNewPackageName, parseOldPackageName } from "./package-name.ts";
export type { PackageName } from "./package-name.ts";
export { parsePackageVersion } from "./package-version.ts";
export type { PackageVersion } from "./package-version.ts";
export type {
  AuthorizePackage,
  LimitAudits,
  NpmLookup,
  NpmPackage,
  NpmPorts,
  BatchPublished,
  NpmRecorder,
  Published,
  TagTarget,
  StagedTarball,
  TarballContent,
  TarballFiles,
} from "./ports.ts";
export type {
  SavedBlob,
  NamedBlob,
  NewNpmVersion,
  NpmVersion,
  StoredNpmVersion,
} from "./npm-version.ts";
export { adoptVersion } from "./publish/adopt-version.ts";
export type { Adopted, AdoptOptions, AdoptPorts, ForeignVersion } from "./publish/adopt-version.ts";
export type { DocumentLimits } from "./publish/document-scanner.ts";
export { DOCUMENT_LIMITS, readPublishDocument } from "./publish/publish-document.ts";
export { publish } from "./publish/publish.ts";
export type { PublishOutcome, PublishUpload } from "./publish/publish.ts";
export { putOperationOf } from "./publish/put-operation.ts";
export type { PutOperation } from "./publish/put-operation.ts";
export { parseRequestPath } from "./request-path.ts";
export type { RequestPath } from "./request-path.ts";
export { writePing, writeRefusal } from "./routes/call.ts";
export { documentOptions, missingDocument } from "./routes/documents.ts";
export { readOfRequest } from "./routes/read-of-request.ts";
export { isDownload, tarballOptions } from "./routes/tarball.ts";
export type { TarballAddress, TarballRequest } from "./routes/tarball.ts";
export { NO_UPSTREAM } from "./upstream/ports.ts";
export type { NameState, NpmUpstream, StaleAnswer, UpstreamTarball } from "./upstream/ports.ts";
export { openBundleVerification, TrustedRootError } from "./provenance/verify-bundle.ts";
export type { Attestation, NpmAttestations, VerifyBundle } from "./provenance/ports.ts";
export { parseSearchText, searchTextOf } from "./search/search-query.ts";
export { nameFormsOf } from "./search/name-forms.ts";
export type { NameForm } from "./search/name-forms.ts";
export { nameLimitOf, searchTotalMax } from "./search/ports.ts";
export { searchableWords, searchWords } from "./search/search-words.ts";
export type {
  NameLimit,
  NpmSearch,
  NpmSearchFilter,
  NpmSearchHit,
  NpmSearchQuality,
  OriginLimit,
} from "./search/ports.ts";
export { isProvenance } from "./provenance/read-provenance.ts";
export type {
  AnnouncedKey,
  KeyProtection,
  NewSigningKey,
  NpmSigningKeys,
  RegistryKeys,
  SigningKeyRecord,
  UnsignedVersion,
  UnsignedVersions,
} from "./signatures/ports.ts";
export { npmKeyProtection } from "./signatures/key-protection.ts";
export type { ProtectingKeys } from "./signatures/key-protection.ts";
export { isSignedBy, keyIdOf } from "./signatures/registry-signature.ts";
export type { RegistrySignature, SignedVersion } from "./signatures/registry-signature.ts";
export { STAGED_MAX, STAGED_PER_PUBLISHER_MAX } from "./staging/ports.ts";
export type {
  NewStagedVersion,
  NpmStaging,
  StagedExpiry,
  StagedVersion,
  Staging,
  StagingTerms,
} from "./staging/ports.ts";
export { signMissing } from "./signatures/sign-missing.ts";
export {
  createVersionSigner,
  currentOf,
  ensureKey,
  openCurrentKey,
  replaceKey,
  SigningKeyError,
  withSignatures,
} from "./signatures/version-signer.ts";
export type { SignVersion } from "./signatures/version-signer.ts";
export { EXCHANGE_PATH } from "./trust/exchange-path.ts";
export { TRUST_PERMISSIONS, TRUST_PROVIDERS } from "./trust/ports.ts";
export type {
  NewTrustedPublisher,
  NpmTrust,
  TrustClaims,
  TrustedPublisher,
  TrustedPublishers,
  TrustPermission,
  TrustProvider,
} from "./trust/ports.ts";
export { trustsTwice } from "./trust/trust-claims.ts";
export { parseVersionRange } from "./version-range.ts";
export type { WithheldVersion } from "./withheld/withheld-version.ts";
export { variantKey, variantOf } from "./withheld/allowed-package.ts";
export type { VersionRange } from "./version-range.ts";
export { inspectTarball, TARBALL_LIMITS } from "./tarball/inspect-tarball.ts";
export type { InspectedTarball, TarballLimits } from "./tarball/inspect-tarball.ts";
export { createAbsentPackages } from "./routes/absent-packages.ts";
export type { WriteAbsent } from "./routes/absent-packages.ts";
export { createCachedTarballs } from "./routes/cached-tarballs.ts";
export type { CachedTarballsOptions, WriteTarball } from "./routes/cached-tarballs.ts";
