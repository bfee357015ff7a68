export type { KmsFault, KmsOperation, KmsStandIn } from "./aws-kms-stand-in.ts";
export { startKmsStandIn } from "./aws-kms-stand-in.ts";
export type { AwsSignerStandIn } from "./aws-signer-stand-in.ts";
export { startAwsSignerStandIn } from "./aws-signer-stand-in.ts";
export { startStandIn } from "./http-stand-in.ts";
export { kmsSettings } from "./stand-in-settings.ts";
