import type { StorageExtension } from "@sealhouse/storage-providers";
import { readS3Config } from "./s3-config.ts";
import type { S3Limits } from "./s3-parts.ts";
import { openS3Store } from "./s3-store.ts";
import { AWS_S3_SETTINGS } from "./settings/table.ts";

export { openS3Store } from "./s3-store.ts";
export type { S3Credentials, S3Options, S3Role } from "./s3-config.ts";
export type { S3Limits } from "./s3-parts.ts";

/** Brings the storage type `AwsS3`, with other limits of its calls. */
export function awsS3Storage(limits: S3Limits = {}): StorageExtension {
  return {
    name: "@sealhouse/storage-aws-s3",
    storageTypes: {
      AwsS3: {
        settings: AWS_S3_SETTINGS,
        open: async (context) => openS3Store(readS3Config(context), limits),
      },
    },
  };
}

/** The export that the host expects of an extension module. */
export const extension: StorageExtension = awsS3Storage();
