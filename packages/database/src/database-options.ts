import type { ImmutableTags } from "@sealhouse/oci-distribution";

/** Options of `openDatabase`. */
export type DatabaseOptions = {
  /** The clock for all times in rows; default: the system clock. */
  readonly now?: () => Date;
  /** Whether to migrate an outdated schema. When false, opening fails instead. Default true. */
  readonly migrate?: boolean;
  /**
   * Milliseconds after which a positive answer about an OCI blob or manifest renews its time of use
   * (rule R1). Must be an eighth of the collector's minimum age. Default 3 hours.
   */
  readonly clockThresholdMs?: number;
  /**
   * Milliseconds for which the content of deleted and replaced versions stays for views as of a
   * time. Default 0.
   */
  readonly keepContentMs?: number;
  /** Tags of container images that no change may move or delete; default: none. */
  readonly immutableTags?: ImmutableTags;
  /** The operator's setting for `allRepositorySigned`; default false. */
  readonly advertiseAllRepositorySigned?: boolean;
  /** Bytes of memory for recently read documents; default 16 MiB. */
  readonly documentCacheBytes?: number;
};
