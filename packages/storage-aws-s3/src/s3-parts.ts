import type { S3 } from "@aws-sdk/client-s3";
import type { CallLimits, KeyPrefix, ServiceCalls } from "@sealhouse/storage-providers/remote";

/** Limits of a store. */
export type S3Limits = CallLimits & {
  /** Milliseconds that one attempt to send a part may take. Default 120,000. */
  readonly uploadTimeoutMs?: number;
  /** Milliseconds without a byte after which a download counts as lost. Default 30,000. */
  readonly idleMs?: number;
  /** Bytes of the largest object that a move copies in one request. Default 5 GiB, as S3 allows. */
  readonly copyBytes?: number;
};

/** Values that the operations of a store share. */
export type S3Parts = {
  readonly s3: S3;
  readonly bucket: string;
  readonly names: KeyPrefix;
  readonly calls: ServiceCalls;
  readonly limits: S3Limits;
};
