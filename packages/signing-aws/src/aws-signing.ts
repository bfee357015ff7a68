import type { SigningExtension } from "@sealhouse/repo-signing";
import { awsKms } from "./aws-kms.ts";
import type { OpenAwsSigner } from "./aws-signer.ts";
import { awsSigner } from "./aws-signer.ts";

/**
 * The modes `AwsKms` and `AwsSigner`. `AwsSigner` runs only with a signer of your own, because the
 * API of AWS Signer cannot make NuGet signatures.
 */
export function awsSigning(options: { readonly awsSigner?: OpenAwsSigner } = {}): SigningExtension {
  return {
    name: "@sealhouse/signing-aws",
    signingModes: { AwsKms: awsKms(), AwsSigner: awsSigner(options.awsSigner) },
  };
}

/** What the host looks for in a module that it is told to load. */
export const extension: SigningExtension = awsSigning();
