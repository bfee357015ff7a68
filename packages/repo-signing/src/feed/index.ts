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
export { createFeedSigning } from "./feed-signing.ts";
export type { FeedSigning, PackageOrigin } from "./feed-signing.ts";
export { ResigningStoppedError, resign } from "./resign.ts";
export type {
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
export { SigningSetupError, checkOwnSubject, checkSigner } from "./signer-check.ts";
export { modeOf, openOnce, successorSource } from "./signers.ts";
export { canSign, degradedSigning } from "./signing-state.ts";
export { createWatchedCertificate } from "./watched-certificate.ts";
export type { WatchedCertificate } from "./watched-certificate.ts";
