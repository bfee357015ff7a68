import { isNpmError } from "@sealhouse/npm-protocol";
import { isNuGetError } from "@sealhouse/nuget-protocol";
import { isOciError } from "@sealhouse/oci-distribution";
import { isCopyError } from "@sealhouse/oci-distribution/client";
import { isSourceFailure } from "../mirror/documents/document-reader.ts";
import { isUpstreamUnavailable } from "../mirror/calls/upstream-error.ts";

/** Result of bringing one wanted package or image into the registry. */
export type Brought =
  /** `present`: it was here before. */
  | { readonly status: "fetched" | "present" }
  | { readonly status: "missing"; readonly reason: string };

export const FETCHED: Brought = { status: "fetched" };
export const PRESENT: Brought = { status: "present" };

export function missing(reason: string): Brought {
  return { status: "missing", reason };
}

/** Reason of a file that a source sent and that is not stored. */
export const NOT_KEPT =
  "It was not stored: its source has the strategy ProxyOnly, or this registry refuses it.";

/** Returns the message of a failure that concerns one entry; undefined for all others. */
export function reasonIn(error: unknown): string | undefined {
  const isOfEntry =
    isSourceFailure(error) ||
    isUpstreamUnavailable(error) ||
    isCopyError(error) ||
    isNpmError(error) ||
    isNuGetError(error) ||
    isOciError(error);
  return isOfEntry && error instanceof Error ? error.message : undefined;
}

/** Reads everything: the transfer of a file has ended when its last byte can be read. */
export async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}
