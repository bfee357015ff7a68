import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { issueTestCertificate, pemOf, testRootCertificate } from "@sealhouse/repo-signing/testing";
import { kmsSettings, startKmsStandIn } from "../../../packages/signing-aws/src/testing/index.ts";
import {
  openVaultWithCertificate,
  settingsFor,
} from "../../../packages/signing-azure-key-vault/src/testing/index.ts";
import {
  certificateOf,
  KEY_SETTINGS,
  openStandIn,
  testVersion,
} from "../../../packages/signing-google/src/testing/index.ts";
import { hasRadosgw, startRadosgw } from "../../../packages/storage-aws-s3/src/testing/index.ts";
import { startAzurite } from "../../../packages/storage-azure-blob/src/testing/index.ts";
import {
  settingsFor as googleSettings,
  startGoogleStorage,
} from "../../../packages/storage-google-cloud/src/testing/index.ts";

/** A stand-in of a cloud service, and what the example of a README needs to use it. */
export type Service = AsyncDisposable & {
  readonly env: Readonly<Record<string, string>>;
  /** Texts by file name, in the folder of the example. */
  readonly files?: Readonly<Record<string, string>>;
};

/** By package. Each function resolves to undefined where its service is not installed. */
export const SERVICES: Readonly<Record<string, () => Promise<Service | undefined>>> = {
  "packages/signing-aws": openAwsKms,
  "packages/signing-azure-key-vault": openKeyVault,
  "packages/signing-google": openGoogleKms,
  "packages/storage-aws-s3": openS3,
  "packages/storage-azure-blob": openAzure,
  "packages/storage-google-cloud": openGoogleStorage,
};

async function openAwsKms(): Promise<Service> {
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const kms = await startKmsStandIn({ key });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const certificate = await issueTestCertificate({ publicKey });
  return {
    env: { ...kmsSettings(kms), Signing__AwsKms__CertificatePath: "feed.pem" },
    files: { "feed.pem": pemOf(certificate) + pemOf(await testRootCertificate()) },
    [Symbol.asyncDispose]: () => kms[Symbol.asyncDispose](),
  };
}

async function openKeyVault(): Promise<Service> {
  const vault = await openVaultWithCertificate();
  return {
    env: { ...settingsFor(vault), NODE_EXTRA_CA_CERTS: "root.pem" },
    files: { "root.pem": pemOf(await testRootCertificate()) },
    [Symbol.asyncDispose]: () => vault[Symbol.asyncDispose](),
  };
}

async function openGoogleKms(): Promise<Service> {
  const version = testVersion();
  const kms = await openStandIn({ versions: [version] });
  const texts = { ...KEY_SETTINGS, ...kms.settings, CertificatePath: "feed.pem" };
  const settings = Object.entries(texts).map(([key, text]) => [`Signing__GcpKms__${key}`, text]);
  return {
    env: Object.fromEntries(settings),
    files: { "feed.pem": await certificateOf(version) },
    [Symbol.asyncDispose]: () => kms[Symbol.asyncDispose](),
  };
}

async function openS3(): Promise<Service | undefined> {
  if (!hasRadosgw("no S3 server has run the example of the S3 store")) return undefined;
  const radosgw = await startRadosgw();
  const bucket = await radosgw.createBucket();
  const settings = radosgw.settingsFor(bucket);
  return {
    env: {
      S3_BUCKET: bucket,
      S3_ENDPOINT: settings["Storage__ServiceUrl"] ?? "",
      AWS_ACCESS_KEY_ID: settings["Storage__AccessKey"] ?? "",
      AWS_SECRET_ACCESS_KEY: settings["Storage__SecretKey"] ?? "",
    },
    [Symbol.asyncDispose]: () => radosgw[Symbol.asyncDispose](),
  };
}

async function openAzure(): Promise<Service> {
  const azurite = await startAzurite();
  const container = await azurite.createContainer();
  const settings = azurite.settingsFor(container);
  return {
    env: {
      CONTAINER: container,
      AZURE_STORAGE_CONNECTION_STRING:
        `DefaultEndpointsProtocol=http;BlobEndpoint=${settings["Storage__ServiceUrl"]};` +
        `AccountName=${settings["Storage__AccountName"]};` +
        `AccountKey=${settings["Storage__AccessKey"]}`,
    },
    [Symbol.asyncDispose]: () => azurite[Symbol.asyncDispose](),
  };
}

async function openGoogleStorage(): Promise<Service> {
  const service = await startGoogleStorage();
  const bucket = googleSettings(service.url)["Storage__Bucket"] ?? "";
  return {
    env: { BUCKET: bucket, STORAGE_EMULATOR_HOST: service.url },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
