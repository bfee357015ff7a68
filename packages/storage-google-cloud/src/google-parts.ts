import type { RemoteLimits, RemoteParts, WriteCall } from "@sealhouse/storage-providers/remote";
import type { GoogleClient } from "./google-client.ts";

/** Limits of a store. */
export type GoogleLimits = RemoteLimits;

/** Values that the operations of a store share. */
export type GoogleParts = RemoteParts & { readonly client: GoogleClient };

/** A write of one object. */
export type Upload = GoogleParts & { readonly name: string; readonly call: WriteCall };
