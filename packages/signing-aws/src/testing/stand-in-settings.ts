import type { KmsStandIn } from "./aws-kms-stand-in.ts";
import type { AwsSignerStandIn } from "./aws-signer-stand-in.ts";

/** Settings that point to a stand-in, without a certificate. */
export function kmsSettings({ url, account, keyId }: KmsStandIn): Record<string, string> {
  return {
    ...settingsOf("Signing__AwsKms", { url, account }),
    Signing__AwsKms__KeyId: keyId,
  };
}

export function signerSettings(standIn: AwsSignerStandIn): Record<string, string> {
  return {
    ...settingsOf("Signing__AwsSigner", standIn),
    Signing__AwsSigner__ProfileName: "feed",
  };
}

function settingsOf(
  section: string,
  { url, account }: Pick<KmsStandIn, "url" | "account">,
): Record<string, string> {
  return {
    [`${section}__Region`]: account.region,
    [`${section}__AccessKeyId`]: account.accessKeyId,
    [`${section}__SecretAccessKey`]: account.secretAccessKey,
    [`${section}__ServiceUrl`]: url,
  };
}
