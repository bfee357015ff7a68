import type { Surface } from "@sealhouse/oci-distribution";
import type { Config } from "../settings/config.ts";
import type { FeedConfig } from "../settings/feed.ts";

/** What the OCI registry is parted into: each is collected, counted and reported on its own. */
export function surfacesOf({ feed: { oci } }: Config): readonly Surface[] {
  const segments = segmentNames(oci);
  const named = segments.map((segment) => ({ name: segment, segment }));
  return oci.hasDefault ? [{ name: "default", notUnder: segments }, ...named] : named;
}

export function segmentNames({ segments }: FeedConfig["oci"]): readonly string[] {
  return segments.map(({ name }) => name);
}
