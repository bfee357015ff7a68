export type { NuGetAppOptions } from "./app.ts";
export { createNuGetApp } from "./app.ts";
export type {
  KeptPackage,
  PackagePast,
  PackageViews,
  PastBytes,
  PastVersion,
} from "./as-of/ports.ts";
export type { VersionState, VisibilityRule } from "./as-of/visible-versions.ts";
export { visibleRecords, visibleSummaries } from "./as-of/visible-versions.ts";
export { DEPRECATION_REASONS, parseDeprecation } from "./deprecation-request.ts";
export type { DeprecationRequest, DeprecationRequestOutcome } from "./deprecation-request.ts";
export type { DocumentKind, Hive } from "./document-key.ts";
export { documentGroup, documentKey } from "./document-key.ts";
export { documentKindOf, storedDocumentKey } from "./document-path.ts";
export type { NuGetErrorCode } from "./errors.ts";
export { isNuGetError, NuGetError } from "./errors.ts";
export { versionsDocument } from "./flat-container.ts";
export type { PackageDetails, PackageLinks } from "./manifest/package-details.ts";
export { packageLinks, parseDetails } from "./manifest/package-details.ts";
export { isPackageId, lowerId } from "./notation/package-id.ts";
export type { PackageVersion } from "./notation/package-version.ts";
export {
  ascendingVersions,
  comparePackageVersions,
  compareVersionTexts,
  lowerVersion,
  parsePackageVersion,
} from "./notation/package-version.ts";
export type {
  Action,
  AuthorizePackage,
  CertificateList,
  ListedCertificate,
  NewPackage,
  NuGetPorts,
  PackageContent,
  PackageFiles,
  PackageLifecycle,
  PackageLookup,
  PackageTotals,
  PackageRecorder,
  RecordOutcome,
  Sealer,
  SealOutcome,
  ServedPackage,
  StagedPackage,
  TokenExchange,
  Tombstone,
  VersionSummary,
} from "./ports.ts";
export type {
  Deprecation,
  DeprecationReason,
  FileDigests,
  KnownVulnerability,
  NamedBlob,
  Origin,
  PackageRecord,
  Seal,
  StoredPackage,
} from "./stored-package.ts";
export type {
  Advisory,
  AdvisoryLookup,
  AdvisoryPage,
  AdvisoryRecorder,
  AdvisorySource,
  AdvisoryState,
  NewAdvisory,
} from "./advisories/ports.ts";
export { advisoryFixedBy } from "./advisories/fixed-versions.ts";
export { advisoriesFor } from "./advisories/matching.ts";
export { foreignAdvisory } from "./advisories/foreign-advisory.ts";
export { distinctAdvisories } from "./advisories/distinct.ts";
export type { AdvisorySet, ReplacementPlan } from "./advisories/replacement.ts";
export {
  ADVISORIES_MAX,
  advisoryKey,
  collectAdvisories,
  planReplacement,
  timeAfter,
} from "./advisories/replacement.ts";
export { VULNERABILITY_GROUP } from "./advisories/vulnerability-documents.ts";
export type {
  CatalogItem,
  CatalogLeaf,
  CatalogLog,
  CatalogWriter,
  NewCatalogItem,
} from "./catalog/ports.ts";
export { CATALOG_GROUP } from "./catalog/addresses.ts";
export { deleteItem } from "./catalog/leaf.ts";
export type {
  DigestKeeper,
  HashableFiles,
  KnownDigests,
  Provenance,
  ProvenanceLookup,
  SignedFile,
  Unhashed,
} from "./provenance/ports.ts";
export type {
  CompletionQuery,
  Dependent,
  DependentsLookup,
  HitVersion,
  PackageSearch,
  SearchFilter,
  SearchHit,
  SearchPage,
  SearchQuery,
} from "./search/ports.ts";
export type {
  NewSymbolPackage,
  StoredSymbolFile,
  SymbolCatalog,
  SymbolFile,
} from "./symbols/ports.ts";
export type { Registration } from "./registration/registration.ts";
export {
  registrationIndex,
  registrationLeaf,
  registrationOutline,
  registrationPage,
  versionsOfPage,
} from "./registration/registration.ts";
export { repositorySignatures } from "./repository-signatures.ts";
export type { ReadServiceIndex, ServiceIndexOptions } from "./routes/service-index.ts";
export { createServiceIndex } from "./routes/service-index.ts";
export { sourceDocumentOf, STORED_DOCUMENT_OPTIONS } from "./routes/documents.ts";
export type { Conditions, Clause, Phrase, WordField } from "./search/conditions.ts";
export {
  conditionsOf,
  EVERYWHERE,
  idOfTerms,
  PLACES,
  termClauses,
  WORD_FIELDS,
} from "./search/conditions.ts";
export { completionDocument, dependentsDocument, searchDocument } from "./search/document.ts";
export { frameworkWord, ownerWord, typeWord } from "./search/filter-words.ts";
export type { IdLimit } from "./search/id-limit.ts";
export { idFormsOf, idLimitOf, isWithinLimit } from "./search/id-limit.ts";
export type { Indexable, IndexedWords } from "./search/indexed-words.ts";
export { indexedWords, spaced } from "./search/indexed-words.ts";
export { parseCompletionQuery, parsePage, parseSearchQuery } from "./search/parameters.ts";
export type { Qualifier, Term, SearchConditions as Wanted } from "./search/query.ts";
export { parseQueryText } from "./search/query.ts";
export type { ServiceIndexFeatures } from "./service-index.ts";
export { serviceIndex } from "./service-index.ts";
export { planRetention } from "./retention/plan-retention.ts";
export type { RetentionChoice, RetentionRules } from "./retention/plan-retention.ts";
export type {
  RetentionAction,
  RetentionDependent,
  RetentionDependents,
  RetentionPackage,
  RetentionPackages,
  RetentionPorts,
  RetentionSummary,
  RetentionVersion,
} from "./retention/ports.ts";
export { runRetention } from "./retention/run-retention.ts";
export type { RetentionRun, RetentionStep } from "./retention/run-retention.ts";
export { NO_UPSTREAM } from "./upstream/ports.ts";
export type {
  IdState,
  NuGetUpstream,
  StaleAnswer,
  UpstreamDocument,
  UpstreamPackage,
} from "./upstream/ports.ts";
export { deleteVersion, setListed } from "./unlist.ts";
export type { Bound, VersionRange } from "./notation/version-range.ts";
export {
  formatVersionRange,
  hasMetadataBound,
  isSemVer2Range,
  parseVersionRange,
  rangeContains,
} from "./notation/version-range.ts";
export { openCatalogConsumer } from "./catalog/catalog-consumer.ts";
export type { CatalogConsumer } from "./catalog/catalog-consumer.ts";
export { applyRetention, retentionJob } from "./retention/retention-job.ts";
export type { RetentionParts } from "./retention/retention-job.ts";
