import { StorageSettingError } from "@sealhouse/storage-providers";
import type { S3Config } from "./s3-config.ts";
import {
  isBucketMissing,
  isExisting,
  isNotImplemented,
  isRefused,
  otherRegionOf,
} from "./s3-error.ts";
import type { S3Parts } from "./s3-parts.ts";

/** An empty object that the check leaves. No key begins with a dot, so the store never lists it. */
const CONDITION_NAME = ".sealhouse-conditional-write";

/**
 * Lists the bucket once. In another store than AWS it also checks that a create-only write does not
 * replace an object, because some stores ignore the condition.
 *
 * @throws {StorageSettingError} when the operator must correct a setting
 * @throws {StorageError} when the service is unavailable
 */
export async function checkBucket(parts: S3Parts, config: S3Config, hint: string): Promise<void> {
  const { s3, bucket, names, calls } = parts;
  const request = { Bucket: bucket, Prefix: names.listed(""), MaxKeys: 1 };
  let refusal: StorageSettingError | undefined;
  await calls.run({ action: `list the bucket ${bucket}` }, async (abortSignal) => {
    try {
      await s3.listObjectsV2(request, { abortSignal });
    } catch (error) {
      refusal = refusalOf(error, config, hint);
      if (!refusal) throw error;
    }
  });
  if (refusal) throw refusal;
  if (config.endpoint !== undefined && !(await keepsConditions(parts))) {
    throw new StorageSettingError(
      "Storage__ServiceUrl",
      "this store ignores the condition If-None-Match of a write, so two hosts could overwrite " +
        "each other's objects; use a version of the store that supports conditional writes",
    );
  }
}

function refusalOf(
  error: unknown,
  config: S3Config,
  hint: string,
): StorageSettingError | undefined {
  if (isBucketMissing(error)) {
    return new StorageSettingError(
      "Storage__Bucket",
      `there is no bucket "${config.bucket}"; create it: aws s3 mb s3://${config.bucket}`,
    );
  }
  const region = otherRegionOf(error);
  if (region !== undefined) {
    const place = region === "" ? "another region" : `the region ${region}`;
    return new StorageSettingError(
      "Storage__Region",
      `the bucket "${config.bucket}" is in ${place}, not in ${config.region}`,
    );
  }
  if (!isRefused(error)) return undefined;
  return new StorageSettingError(
    credentialKey(config),
    `S3 refuses these credentials, or to list the bucket "${config.bucket}"; check ${hint}`,
  );
}

function credentialKey({ credentials, role }: S3Config): string {
  if (role) return "Storage__AssumeRoleArn";
  switch (credentials.type) {
    case "access-key":
    case "default":
      return "Storage__AccessKey";
    case "instance":
      return "Storage__UseInstanceProfile";
    case "profile":
      return "Storage__Profile";
  }
}

/**
 * Creates an object that may exist, twice if it did not. True even when the credentials may not
 * write: writes fail later, with their own error.
 */
async function keepsConditions({ s3, bucket, names, calls }: S3Parts): Promise<boolean> {
  const request = {
    Bucket: bucket,
    Key: names.listed("") + CONDITION_NAME,
    Body: new Uint8Array(),
    IfNoneMatch: "*",
  };
  const create = (): Promise<"created" | "kept" | "unknown"> =>
    calls.run({ action: "check conditional writes" }, async (abortSignal) => {
      try {
        await s3.putObject(request, { abortSignal });
        return "created";
      } catch (error) {
        if (isExisting(error)) return "kept";
        if (isNotImplemented(error)) return "created";
        if (isRefused(error)) return "unknown";
        throw error;
      }
    });
  return (await create()) !== "created" || (await create()) !== "created";
}
