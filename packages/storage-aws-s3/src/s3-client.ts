import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { S3, S3ClientConfig } from "@aws-sdk/client-s3";
import type * as CredentialSdk from "@aws-sdk/credential-providers";
import type { S3Config, S3Credentials } from "./s3-config.ts";
import { CredentialsError } from "./s3-error.ts";
import { Sha256 } from "./sha-256.ts";

/** A client of one bucket. */
export type S3Connection = Disposable & {
  readonly s3: S3;
  /** Settings to check when the service refuses the credentials. */
  readonly hint: string;
  /** Returns an address for reading an object. Sends no request, except for credentials. */
  presign(name: string, expiresInSeconds: number): Promise<string>;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds for one question to the machine about its role. */
const INSTANCE_TIMEOUT_MS = 2_000;
const INSTANCE_RETRIES = 3;
const STS_ATTEMPTS = 3;
const STS_TIMEOUT_MS = 10_000;

/** Loads the SDK. Sends no request. */
export async function connectS3(config: S3Config): Promise<S3Connection> {
  const { bucket, region, endpoint, forcePathStyle } = config;
  const [sdk, { getSignedUrl }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/s3-request-presigner"),
  ]);
  // Every download holds a socket until its reader has all bytes, so a fixed number would block.
  const agents = {
    httpAgent: new HttpAgent({ keepAlive: true }),
    httpsAgent: new HttpsAgent({ keepAlive: true }),
  };
  const s3 = new sdk.S3({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    credentials: await credentialsOf(config),
    // One attempt only: the calls of the store retry, with a timeout for each attempt.
    maxAttempts: 1,
    requestHandler: { ...agents, connectionTimeout: CONNECT_TIMEOUT_MS },
    // The signature of a request covers the SHA-256 of its body, and every store verifies it. Many
    // stores refuse the further checksums that the SDK adds by itself.
    requestChecksumCalculation: "WHEN_REQUIRED",
    // A resumed download cannot compare the checksum of the whole object.
    responseChecksumValidation: "WHEN_REQUIRED",
    sha256: Sha256,
    // Saves a round trip for each part.
    expectContinueHeader: false,
  });
  return {
    s3,
    hint: hintOf(config),
    presign: (name, expiresIn) =>
      getSignedUrl(s3, new sdk.GetObjectCommand({ Bucket: bucket, Key: name }), { expiresIn }),
    [Symbol.dispose]() {
      s3.destroy();
      agents.httpAgent.destroy();
      agents.httpsAgent.destroy();
    },
  };
}

type Credentials = NonNullable<S3ClientConfig["credentials"]>;
type Provider = Extract<Credentials, (...words: never) => unknown>;

async function credentialsOf(config: S3Config): Promise<Credentials> {
  const { credentials, region, role } = config;
  const source = await sourceOf(credentials);
  if (!role) return typeof source === "function" ? explained(source) : source;
  const { fromTemporaryCredentials } = await import("@aws-sdk/credential-providers");
  const { arn, sessionName, stsUrl } = role;
  const provider = fromTemporaryCredentials({
    masterCredentials: source,
    params: { RoleArn: arn, RoleSessionName: sessionName },
    clientConfig: {
      region,
      ...(stsUrl !== undefined && { endpoint: stsUrl }),
      maxAttempts: STS_ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: STS_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
    },
  });
  return explained(provider);
}

/** An answer 404 of the token service must not look like that of a missing object. */
function explained(provider: Provider): Provider {
  return async (identity) => {
    try {
      return await provider(identity);
    } catch (error) {
      throw new CredentialsError(error);
    }
  };
}

async function sourceOf(credentials: S3Credentials): Promise<Credentials> {
  if (credentials.type === "access-key") {
    const { accessKeyId, secretAccessKey } = credentials;
    return { accessKeyId, secretAccessKey };
  }
  const sdk = await import("@aws-sdk/credential-providers");
  switch (credentials.type) {
    case "profile":
      return sdk.fromNodeProviderChain({ profile: credentials.name });
    case "instance":
      return instanceCredentials(sdk);
    case "default":
      return sdk.fromNodeProviderChain();
  }
}

/** The role of the Kubernetes service account, of the container or of the instance. */
function instanceCredentials(sdk: typeof CredentialSdk): Credentials {
  const { env } = process;
  if (env["AWS_WEB_IDENTITY_TOKEN_FILE"]) return sdk.fromTokenFile();
  const options = { timeout: INSTANCE_TIMEOUT_MS, maxRetries: INSTANCE_RETRIES };
  const isContainer =
    env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] || env["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  return isContainer ? sdk.fromHttp(options) : sdk.fromInstanceMetadata(options);
}

function hintOf({ credentials, role }: S3Config): string {
  const source = HINTS[credentials.type];
  return role ? `Storage__AssumeRoleArn and ${source}` : source;
}

const HINTS: Readonly<Record<S3Credentials["type"], string>> = {
  "access-key": "Storage__AccessKey, Storage__SecretKey and the policy of the bucket",
  instance: "Storage__UseInstanceProfile, the role of the machine and its policy",
  profile: "Storage__Profile, the shared files of AWS and the policy of the bucket",
  default: "Storage__AccessKey, or the credentials of this machine, and the policy of the bucket",
};
