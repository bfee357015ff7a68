export { sealKeyOf } from "./artifact.ts";
export { cosignKeyId, cosignTag } from "./cosign-image.ts";
export type {
  CosignKey,
  NotationAlgorithm,
  NotationKey,
  SealFormat,
  SealKeys,
  SealOptions,
  SealPorts,
  SealSubject,
} from "./ports.ts";
export type { SealedImage } from "./seal-image.ts";
export { isSealed, platformsOf, sealImage } from "./seal-image.ts";
export { attachedTo, isSealable, isSignature } from "./sealable.ts";
export { verifiedSeals } from "./verify-seals.ts";
export { createFeedSealKeys } from "./feed-seal-keys.ts";
export type { OwnKey, PackageKey, SealKeyPorts } from "./feed-seal-keys.ts";
export { cosignPublicKey, notationRoot } from "./public-keys.ts";
export { openSealConsumer } from "./seal-consumer.ts";
export type { SealConsumer, SealConsumerParts, SealEvent } from "./seal-consumer.ts";
export { sealManifest } from "./seal-once.ts";
export type { SealingParts } from "./seal-once.ts";
export { taggedImages } from "./tagged-images.ts";
export type { TaggedImage } from "./tagged-images.ts";
