import type { ContainerClient } from "@azure/storage-blob";
import type { RemoteLimits, RemoteParts } from "@sealhouse/storage-providers/remote";

/** Limits of a store. */
export type AzureLimits = RemoteLimits;

/** Values that the operations of a store share. */
export type AzureParts = RemoteParts & { readonly container: ContainerClient };
