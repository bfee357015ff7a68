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
export type { SealOutcome } from "./seal-image.ts";
export { isSealed, platformsOf, sealImage } from "./seal-image.ts";
export { attachedTo, isSealable, isSignature } from "./sealable.ts";
export { verifiedSeals } from "./verify-seals.ts";
