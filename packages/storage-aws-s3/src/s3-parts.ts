import type { S3 } from "@aws-sdk/client-s3";
import type { RemoteLimits, RemoteParts } from "@sealhouse/storage-providers/remote";

/** Limits of a store. */
export type S3Limits = RemoteLimits & {
  /** Bytes of the largest object that a move copies in one request. Default 5 GiB, as S3 allows. */
  readonly copyBytes?: number;
};

/** Values that the operations of a store share. */
export type S3Parts = RemoteParts & {
  readonly s3: S3;
  readonly bucket: string;
  readonly limits: S3Limits;
};
