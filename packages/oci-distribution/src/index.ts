export type { TagPast } from "./as-of/ports.ts";
export type { FastPath, FastPathPorts } from "./fast-path.ts";
export { createFastPath } from "./fast-path.ts";
export type { OciOptions } from "./app.ts";
export { createOciApp } from "./app.ts";
export { subjectOfTag } from "./attached-tag.ts";
export type {
  Attached,
  AttachedManifest,
  AttachedToOne,
  ManifestDetails,
  ManifestLine,
  RepositoryLine,
  RepositoryListing,
  ShownManifest,
  TagLine,
  TagPage,
  TagsQuery,
} from "./browsing/ports.ts";
export { catalogSource, catalogTarget } from "./catalog-endpoints.ts";
export type { Digest, DigestAlgorithm } from "./digest.ts";
export { algorithmOf, digestOf, isDigest, parseDigest, parseDigestAlgorithm } from "./digest.ts";
export type { OciErrorCode, OciErrorEntry, OciErrorOptions } from "./errors.ts";
export { isOciError, OciError } from "./errors.ts";
export type { CollectOptions, Collected, Collector } from "./gc/collect.ts";
export { collectGarbage } from "./gc/collect.ts";
export { reportExpiry } from "./gc/kept-reports.ts";
export type {
  BlobCandidate,
  Candidate,
  CandidateKind,
  CandidatePage,
  CandidateReason,
  ClaimedBlob,
  GarbageCatalog,
  GarbageFiles,
  GarbageMarks,
  GarbageReports,
  GarbageRuns,
  GarbageSweeps,
  Holds,
  LinkCandidate,
  ManifestCandidate,
  Marked,
  NewRun,
  Repositories,
  RepositoryToMark,
  RunEnd,
  RunKey,
  RunReport,
  Surface,
  Totals,
  WalkStep,
} from "./gc/ports.ts";
export type { CollectedKind, KeepReason, Keeping, UseLimits } from "./gc/reachability.ts";
export { KEEPINGS, KEPT_BY, SATISFIED_BY, useLimits } from "./gc/reachability.ts";
export { OCI_ENDPOINTS } from "./route-methods.ts";
export { createsRefreshToken } from "./token-request.ts";
export type { OciEndpoint } from "./route-methods.ts";
export type { Descriptor } from "./manifest/descriptor.ts";
export type { Manifest } from "./manifest/manifest.ts";
export {
  MAX_INDEX_DEPTH,
  MAX_MANIFEST_BYTES,
  MAX_MANIFEST_DEPTH,
  MAX_MANIFEST_EDGES,
  parseManifest,
} from "./manifest/manifest.ts";
export type { ManifestKind } from "./manifest/media-type.ts";
export { isForeignLayer, manifestKindOf } from "./manifest/media-type.ts";
export type {
  Action,
  AuthorizeImage,
  BlobCatalog,
  BlobFiles,
  IdleUploads,
  ImmutableTag,
  ManifestCatalog,
  ManifestEdge,
  NewBlob,
  NewManifest,
  OciPorts,
  Page,
  Referrer,
  ReferrerPage,
  ReferrerQuery,
  SourcedBlob,
  StagedBlob,
  StoredBlob,
  StoredManifest,
  TokenOutcome,
  TokenRequest,
  TokenScope,
  TokenService,
  OpenUploads,
  UploadCatalog,
  UploadSession,
  OciVerdict,
  OciAddress,
} from "./ports.ts";
export type { PullCounter } from "./pull-counter.ts";
export { createPullCounter } from "./pull-counter.ts";
export { digestOfTag } from "./retention/digest-of-tag.ts";
export type { TagChoice } from "./retention/plan-retention.ts";
export type { TagRecord, TagRetention } from "./retention/ports.ts";
export type {
  TagRetentionPorts,
  TagRetentionRun,
  TagRetentionStep,
  TagRetentionSummary,
} from "./retention/run-retention.ts";
export { runTagRetention } from "./retention/run-retention.ts";
export type { ImmutableTags, TagRule, TagsToKeep } from "./retention/tag-rules.ts";
export { NO_IMMUTABLE_TAGS, immutableTags, keepUntaggedMs } from "./retention/tag-rules.ts";
export { DESCRIPTOR_BYTES, ESCAPED_BYTES, allReferrers, referrerWeight } from "./referrers.ts";
export type { Reference } from "./reference.ts";
export { isTag, parseReference } from "./reference.ts";
export type { RepositoryName } from "./repository-name.ts";
export {
  MAX_REPOSITORY_NAME_LENGTH,
  isRepositoryName,
  parseRepositoryName,
} from "./repository-name.ts";
export type { RepositoryRoute, Route } from "./route.ts";
export { parseRoute } from "./route.ts";
export { isOwned, segmentOf } from "./surfaces.ts";
export type { DamagedManifest, ManifestRecord, ManifestRecords } from "./scrub/check-manifests.ts";
export { checkManifests } from "./scrub/check-manifests.ts";
export type { UploadIds } from "./upload/upload-ids.ts";
export { createUploadIds } from "./upload/upload-ids.ts";
export { storeBlob, sweepUploads } from "./upload/upload.ts";
export { recordManifest, sparseEdges } from "./manifest/record-manifest.ts";
export { mirroredName, ownName } from "./upstream/name-origin-errors.ts";
export type { ImageSources, SourceClaim, Staleness, StaleContent } from "./upstream/ports.ts";
export { NO_IMAGE_SOURCES } from "./upstream/no-sources.ts";
export { collectSurface, garbageJob } from "./gc/garbage-job.ts";
export type { EndedRun, GarbageConfig, GarbageParts, GarbageRun } from "./gc/garbage-job.ts";
export { applyTagRetention, tagRetentionJob } from "./retention/tag-retention-job.ts";
export type { TagRetentionParts } from "./retention/tag-retention-job.ts";
