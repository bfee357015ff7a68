export type { AwsAccount, AwsCredentials } from "./aws-account.ts";
export type { AwsSignerContext, OpenAwsSigner, SigningProfile } from "./aws-signer.ts";
export { awsSigning, extension } from "./aws-signing.ts";
