import type {
  CallLimits,
  KeyPrefix,
  ServiceCall,
  ServiceCalls,
} from "@sealhouse/storage-providers/remote";
import type { GoogleClient } from "./google-client.ts";

/** Limits of a store. */
export type GoogleLimits = CallLimits & {
  /** Milliseconds that one attempt to send a part may take. Default 120,000. */
  readonly uploadTimeoutMs?: number;
  /** Milliseconds without a byte after which a download counts as lost. Default 30,000. */
  readonly idleMs?: number;
};

/** Values that the operations of a store share. */
export type GoogleParts = {
  readonly client: GoogleClient;
  readonly names: KeyPrefix;
  readonly calls: ServiceCalls;
  readonly limits: GoogleLimits;
};

/** A write of one object. */
export type Upload = GoogleParts & {
  readonly name: string;
  readonly call: ServiceCall & { readonly timeoutMs: number };
};
