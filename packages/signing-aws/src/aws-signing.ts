import type { SigningExtension } from "@sealhouse/repo-signing";
import { awsKms } from "./aws-kms.ts";
import type { OpenAwsSigner } from "./aws-signer.ts";
import { awsSigner } from "./aws-signer.ts";

/**
 * The modes `AwsKms` and `AwsSigner`. `AwsSigner` runs only with your own signer, because the API
 * of AWS Signer cannot create NuGet signatures.
 */
export function awsSigning(options: { readonly awsSigner?: OpenAwsSigner } = {}): SigningExtension {
  return {
    name: "@sealhouse/signing-aws",
    signingModes: { AwsKms: awsKms(), AwsSigner: awsSigner(options.awsSigner) },
  };
}

/** The export that the host expects of an extension module. */
export const extension: SigningExtension = awsSigning();
