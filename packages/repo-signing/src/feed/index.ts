// The signing of a feed. This entry loads no signing code: that is loaded on first use.
export type {
  CertificateSource,
  ExtensionConfig,
  FeedSigningOptions,
  FeedSigningPorts,
  SelfSignedConfig,
  SharedFiles,
  SigningConfig,
  SigningLog,
  SigningOn,
  SigningRules,
  SigningTools,
  StoredCertificateConfig,
  TimestampConfig,
} from "./feed-options.ts";
export { findCertificate, listCertificates } from "./certificate-list.ts";
export type { ListedCertificate } from "./certificate-list.ts";
export { createFeedSigning } from "./feed-signing.ts";
export type { FeedSigning, PackageOrigin } from "./feed-signing.ts";
export { openExtensionKey, openStoredKey } from "./mode-key.ts";
export { ResigningStoppedError, resign, resignAndCount } from "./resign.ts";
export type {
  ResignCounts,
  ResignParts,
  ResignRun,
  ResignStep,
  SealedBy,
  SealedVersion,
  SealedVersions,
  StoredFiles,
} from "./resign.ts";
export { resignJob, resignOlder } from "./resign-job.ts";
export type { ResignJobParts } from "./resign-job.ts";
export { retireCertificate } from "./retire-certificate.ts";
export type { RetireParts, Retirement } from "./retire-certificate.ts";
export { currentCertificate, rotateCertificate } from "./rotate-certificate.ts";
export type { NothingToRotate, RotatedCertificate, RotateParts } from "./rotate-certificate.ts";
export { SigningSetupError, checkOwnSubject } from "./signer-check.ts";
export { signingProblems } from "./signing-problems.ts";
export { canSign, degradedSigning } from "./signing-state.ts";
