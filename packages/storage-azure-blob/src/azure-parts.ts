import type { ContainerClient } from "@azure/storage-blob";
import type { CallLimits, KeyPrefix, ServiceCalls } from "@sealhouse/storage-providers/remote";

/** Limits of a store. */
export type AzureLimits = CallLimits & {
  /** Milliseconds that one attempt to send a block may take. Default 120,000. */
  readonly uploadTimeoutMs?: number;
  /** Milliseconds without a byte after which a download counts as lost. Default 30,000. */
  readonly idleMs?: number;
};

/** Values that the operations of a store share. */
export type AzureParts = {
  readonly container: ContainerClient;
  readonly names: KeyPrefix;
  readonly calls: ServiceCalls;
  readonly limits: AzureLimits;
};
