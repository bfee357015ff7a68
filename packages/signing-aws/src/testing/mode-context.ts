import type { ModeContext, SigningMode } from "@sealhouse/repo-signing";
import type { KmsStandIn } from "./aws-kms-stand-in.ts";
import type { AwsSignerStandIn } from "./aws-signer-stand-in.ts";

export type TestContext = ModeContext & {
  /** What the operator was told. */
  readonly warnings: readonly string[];
};

/** A context as a host gives it: with the fallbacks of `mode`, without what is empty. */
export function contextFor(
  mode: SigningMode,
  values: Readonly<Record<string, string>>,
  named: Readonly<Record<string, string>> = {},
): TestContext {
  const warnings: string[] = [];
  const fallbacks = Object.entries(mode.settings).flatMap(([key, { fallback }]) =>
    fallback === undefined ? [] : [[key, fallback] as const],
  );
  const set = Object.entries({ ...Object.fromEntries(fallbacks), ...values });
  return {
    values: Object.fromEntries(set.filter(([, text]) => text !== "")),
    named: (name) => named[name],
    warn: (message) => void warnings.push(message),
    now: () => new Date(),
    warnings,
  };
}

/** The settings that lead to a stand-in, without a certificate. */
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
