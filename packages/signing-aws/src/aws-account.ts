import type { ModeContext } from "@sealhouse/repo-signing";
import { ModeSettingError, namedBy } from "@sealhouse/repo-signing";

// What both modes have to know to talk to AWS.

/** An access key of AWS. */
export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

/** Where the SDK finds a service of AWS, and with which credentials. */
export type AwsAccount = {
  /** `eu-west-1` */
  readonly region: string;
  /** Undefined = the SDK's default credential chain. */
  readonly credentials?: AwsCredentials;
  /** Undefined = the region's public endpoint. */
  readonly serviceUrl?: string;
};

/** @throws ModeSettingError */
export function accountOf(section: string, context: ModeContext): AwsAccount {
  const { values } = context;
  const serviceUrl = values[`${section}__ServiceUrl`];
  const credentials = credentialsOf(section, context);
  return {
    region: regionOf(section, context),
    ...(credentials && { credentials }),
    ...(serviceUrl !== undefined && { serviceUrl }),
  };
}

/** For the constructor of any AWS client: nothing that is sent may hang. */
export function clientOptions({ region, credentials, serviceUrl }: AwsAccount) {
  return {
    region,
    ...(credentials && { credentials }),
    ...(serviceUrl !== undefined && { endpoint: serviceUrl }),
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: {
      connectionTimeout: CONNECT_WITHIN_MS,
      requestTimeout: ATTEMPT_WITHIN_MS,
      throwOnRequestTimeout: true,
    },
  };
}

const ATTEMPTS_MAX = 3;
const CONNECT_WITHIN_MS = 2_000;
const ATTEMPT_WITHIN_MS = 4_000;

/** It becomes part of a host name. */
function regionOf(section: string, { values }: ModeContext): string {
  const key = `${section}__Region`;
  const region = (values[key] ?? "").trim();
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(region)) return region;
  throw new ModeSettingError(
    key,
    `“${region}” is not an AWS region. A region looks like eu-west-1.`,
  );
}

function credentialsOf(section: string, context: ModeContext): AwsCredentials | undefined {
  const accessKeyId = context.values[`${section}__AccessKeyId`];
  const sessionToken = context.values[`${section}__SessionToken`];
  const secretAccessKey = secretOf(section, context);
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  }
  if (accessKeyId !== undefined) {
    throw new ModeSettingError(
      `${section}__SecretAccessKey`,
      `${section}__AccessKeyId is set without its secret. Set this one too, or ` +
        `${section}__SecretAccessKeyConfigurationKey, or neither for the default credential chain.`,
    );
  }
  if (secretAccessKey !== undefined || sessionToken !== undefined) {
    throw new ModeSettingError(
      `${section}__AccessKeyId`,
      "A secret or a session token is set without the access key it belongs to. Set this one " +
        "too, or neither for the default credential chain.",
    );
  }
  return undefined;
}

function secretOf(section: string, context: ModeContext): string | undefined {
  const secretKey = namedBy(`${section}__SecretAccessKeyConfigurationKey`, context);
  return secretKey ?? context.values[`${section}__SecretAccessKey`];
}
