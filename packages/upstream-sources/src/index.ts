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

export { contentKeyOf, SOURCE_DEFAULTS, SOURCE_NAME } from "./sources/package-source.ts";
export type {
  CachingStrategy,
  FirstContact,
  MirrorSignaturePolicy,
  OnRemoved,
  PackageSource,
  SourceCredentials,
  SourceSettings,
  SourceType,
} from "./sources/package-source.ts";
export { createSource, credentialsFrom, sourceUrl } from "./sources/create-source.ts";
export type { CredentialOutcome, CredentialTexts, SourceParts } from "./sources/create-source.ts";
export { describeSource } from "./sources/describe-source.ts";
export type { SourceDescription, SourceStatus } from "./sources/describe-source.ts";
export { findConflicts } from "./sources/find-conflicts.ts";
export type { ConflictParts, ConflictReport, NameConflict } from "./sources/find-conflicts.ts";
export { probeSource } from "./sources/probe-source.ts";
export type { ProbeParts, ProbeReport } from "./sources/probe-source.ts";
export { addSource, enableSource, sourceNamed } from "./sources/source-changes.ts";
export type { SourceChange } from "./sources/source-changes.ts";
export { RefusedSourceError, refuseExposed } from "./sources/refused-source.ts";
export { sourceProblems } from "./sources/source-problems.ts";
export type { SourcePart, SourceProblem, SourceSurroundings } from "./sources/source-problems.ts";
export type { SourceRow, SourceRows } from "./sources/source-rows.ts";
export { openStoredSources } from "./sources/stored-sources.ts";
export type { StoredSources } from "./sources/stored-sources.ts";
export { openSourceAdministration } from "./sources/source-administration.ts";
export type {
  AdministrationParts,
  ListedSource,
  SourceAdministration,
} from "./sources/source-administration.ts";
export { parseSourceTexts, SOURCE_CHOICES } from "./sources/source-texts.ts";
export type {
  SourceTextPart,
  SourceTextProblem,
  SourceTexts,
  SourceTextsOutcome,
} from "./sources/source-texts.ts";
export { publicPagesOf } from "./sources/public-page.ts";
export { sourcesFor } from "./sources/sources-for.ts";
export type { WantedName } from "./sources/sources-for.ts";

export type {
  DocumentKey,
  KeptDocument,
  KeptDocuments,
  NameClaim,
  NameOrigin,
  NameOrigins,
  ReleaseOutcome,
  ReserveOutcome,
  SourceList,
  SourceState,
  SourceStates,
} from "./mirror/ports.ts";
export type { ArrivalAnswer, ArrivalAsk, Arrivals, OpenedFile } from "./mirror/files/arrivals.ts";
export type { DocumentAsk } from "./mirror/documents/document-ask.ts";
export type { DocumentAnswer, DocumentReader } from "./mirror/documents/document-reader.ts";
export type { FetchedDocument, Validators } from "./mirror/documents/kept-after.ts";
export { mirrorImages } from "./mirror/oci/image-mirror.ts";
export type {
  ImageLookups,
  ImageMirrorParts,
  ImageSurfaces,
  MirroredImages,
} from "./mirror/oci/image-parts.ts";
export type { RefusedVersions } from "./mirror/known-refusals.ts";
export { openRegistryMirror } from "./mirror/open-registry-mirror.ts";
export type { RegistryMirror } from "./mirror/open-registry-mirror.ts";
export { openMirror } from "./mirror/mirror.ts";
export type { FoundAtSource, Located, Mirror, MirrorParts } from "./mirror/mirror.ts";
export type { CallState, SourceCalls } from "./mirror/calls/source-calls.ts";
export { openSourceFetch } from "./mirror/calls/source-fetch.ts";
export type { OwnCalls } from "./mirror/calls/own-calls.ts";
export { sharedDocuments } from "./mirror/documents/shared-documents.ts";
export type { OpenFetch } from "./mirror/calls/source-fetch.ts";
export { mirroredNpm } from "./mirror/npm/mirrored-npm.ts";
export type { MirroredNpm, MirroredNpmParts } from "./mirror/npm/mirrored-npm.ts";
export { countAbsentNames, countedFetch } from "./mirror/count-absent-names.ts";
export type { Counted, CountedCaller } from "./mirror/count-absent-names.ts";
export { hasRetryAfter, TooManyAbsentError } from "./mirror/calls/absent-calls.ts";
export type { CountAbsent, SourceErrorCode } from "./mirror/calls/absent-calls.ts";
export { isUpstreamUnavailable, UpstreamUnavailableError } from "./mirror/calls/upstream-error.ts";
export { mirrorJobs } from "./mirror/mirror-jobs.ts";
export type { MirrorJobParts } from "./mirror/mirror-jobs.ts";
export { mirrorSignaturesOf, openSourceList } from "./mirror/choice/open-source-list.ts";
export type { SourceListParts, SourceSignatures } from "./mirror/choice/open-source-list.ts";
export { createSourceList } from "./mirror/choice/source-list.ts";
export type { RefreshableSourceList } from "./mirror/choice/source-list.ts";
export { mirroredNuGet } from "./mirror/nuget/mirrored-nuget.ts";
export type { MirroredNuGet, MirroredNuGetParts } from "./mirror/nuget/mirrored-nuget.ts";

export type { LocalCache } from "./mirror/nuget/files/local-cache.ts";
export type { AdmittedVersion, FastLane } from "./policy/fast-lane.ts";
export { decide, rulesFor } from "./policy/decide.ts";
export { judgeVersions, needsJudgement, NOTHING_REFUSED } from "./policy/judge.ts";
export type { JudgedName, Judgement } from "./policy/judge.ts";
export { SEVERITIES } from "./policy/policy-rule.ts";
export type {
  FirstSeen,
  PolicyRule,
  PolicyRules,
  PolicySeverity,
  RuleConditions,
} from "./policy/policy-rule.ts";
export { createRuleList, NO_RULES } from "./policy/rule-list.ts";
export type { RefreshableRuleList, RuleList, RuleSet } from "./policy/rule-list.ts";
export { parseVersionSpan } from "./policy/version-span.ts";
export type {
  Decision,
  Refusal,
  SourceAge,
  VersionFacts,
  WantedVersion,
} from "./policy/wanted-version.ts";
export { createRule, GOVERNED_PROTOCOLS } from "./policy/create-rule.ts";
export type { RuleOutcome, RulePart, RuleTexts } from "./policy/create-rule.ts";
