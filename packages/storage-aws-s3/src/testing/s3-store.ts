import type { ObjectStore } from "@sealhouse/storage-providers";
import { awsS3Storage } from "../index.ts";
import type { S3Limits } from "../index.ts";

/** Opens a store as the host does, with the texts of its settings. */
export function openStore(
  values: Readonly<Record<string, string>>,
  {
    limits = {},
    environment = {},
  }: {
    readonly limits?: S3Limits;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<ObjectStore> {
  const type = awsS3Storage(limits).storageTypes["AwsS3"];
  if (!type) throw new TypeError("the extension has no such type");
  const named = (name: string): string | undefined => environment[name];
  return type.open({ values, named });
}
