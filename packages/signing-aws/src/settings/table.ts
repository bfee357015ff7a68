import { certificateSettings } from "@sealhouse/repo-signing";
import type { SettingsTable } from "@sealhouse/settings";
import { ALGORITHM_NAMES, DEFAULT_ALGORITHM } from "../kms-key.ts";

/** Settings of an AWS account, by name. */
const ACCOUNT = {
  Region: {
    kind: { type: "text" },
    required: true,
    about: "AWS region, such as `eu-west-1`.",
  },
  AccessKeyId: {
    kind: { type: "text" },
    otherwise: "the default credential chain: environment, shared files, container, instance",
    about: "Access key of the host's own AWS identity.",
  },
  SecretAccessKey: {
    kind: { type: "text" },
    secret: true,
    about: "The secret that belongs to the access key.",
  },
  SecretAccessKeyConfigurationKey: {
    kind: { type: "text" },
    about: "Name of a setting or environment variable that holds the secret; goes first.",
  },
  SessionToken: {
    kind: { type: "text" },
    secret: true,
    about: "Session token, for temporary credentials.",
  },
  ServiceUrl: {
    kind: { type: "url" },
    otherwise: "the public endpoint of the region",
    about: "Address of the service, for a VPC endpoint.",
  },
} as const satisfies SettingsTable;

type AccountSettings<Section extends string> = {
  readonly [Name in keyof typeof ACCOUNT as `${Section}__${Name}`]: (typeof ACCOUNT)[Name];
};

function accountSettings<const Section extends string>(section: Section): AccountSettings<Section> {
  const entries = Object.entries(ACCOUNT).map(
    ([name, setting]) => [`${section}__${name}`, setting] as const,
  );
  return Object.fromEntries(entries) as AccountSettings<Section>;
}

/** Settings of the signing mode `AwsKms`. */
export const AWS_KMS_SETTINGS = {
  ...accountSettings("Signing__AwsKms"),
  Signing__AwsKms__KeyId: {
    kind: { type: "text" },
    required: true,
    about: "Id, ARN or alias (`alias/feed`) of an RSA key with the usage SIGN_VERIFY.",
  },
  Signing__AwsKms__SigningAlgorithm: {
    kind: { type: "choice", values: ALGORITHM_NAMES },
    fallback: DEFAULT_ALGORITHM,
    about: "How the key signs; PSS is accepted with a warning, because some clients refuse it.",
  },
  ...certificateSettings("Signing__AwsKms"),
} as const satisfies SettingsTable;

/** Settings of the signing mode `AwsSigner`. */
export const AWS_SIGNER_SETTINGS = {
  ...accountSettings("Signing__AwsSigner"),
  Signing__AwsSigner__ProfileName: {
    kind: { type: "text" },
    required: true,
    about: "Name of an active signing profile.",
  },
} as const satisfies SettingsTable;
