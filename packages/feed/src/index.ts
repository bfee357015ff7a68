export type { FeedAccess } from "./access.ts";
export { advisoryRecorders, loadAdvisoryReaders } from "./advisory-parts.ts";
export { advisorySources } from "./advisory-sources.ts";
export { checkParts } from "./check-parts.ts";
export {
  claimStorage,
  ForeignStorageError,
  foreignStorage,
  newestKeys,
  storagePlace,
} from "./claim-storage.ts";
export { contentParts } from "./content-parts.ts";
export { openFeedPromotion } from "./feed-promotion.ts";
export { createHashableFiles } from "./hashable-files.ts";
export { confirmedBlobs, imageFiles } from "./oci-ports.ts";
export { sealKeysOf } from "./image-seal-keys.ts";
export type { SealKeyParts } from "./image-seal-keys.ts";
export { openImageSealing } from "./image-sealing.ts";
export { keyRingJob, rotateKeyRing } from "./key-ring-job.ts";
export type { KeyRingParts } from "./key-ring-job.ts";
export { createNpmSignatures } from "./npm-signatures.ts";
export type { NpmSignatures, NpmSignaturesParts } from "./npm-signatures.ts";
export { openFeed } from "./open-feed.ts";
export type { Feed, FeedOptions } from "./open-feed.ts";
export { PRESIGNED_MS, redirectedPackages, SIGNED_COPIES } from "./redirected-packages.ts";
export { retentionPorts, tagRetentionPorts } from "./retention-ports.ts";
export { signedPackages } from "./signed-packages.ts";
export { storedPackages } from "./nuget-ports.ts";
export { sweepJob } from "./sweep-job.ts";
export type { SweepParts } from "./sweep-job.ts";
export { imageIdTokens, npmExchange, nugetExchange } from "./token-exchanges.ts";
export { openUpkeep } from "./upkeep.ts";
export type { UpkeepParts } from "./upkeep.ts";
