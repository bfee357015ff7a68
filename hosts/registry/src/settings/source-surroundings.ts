import { segmentNames } from "@sealhouse/oci-distribution/settings";
import type { SourceSurroundings } from "@sealhouse/upstream-sources";
import type { FeedConfig } from "./feed.ts";

/** Facts about this host that decide which package sources it may have. */
export function sourceSurroundings({
  anonymousPull,
  publicBaseUrls,
  npm,
  oci,
}: Pick<FeedConfig, "anonymousPull" | "publicBaseUrls" | "npm" | "oci">): SourceSurroundings {
  const hostNames = [...npm.hostNames, ...oci.segments.flatMap((segment) => segment.hostNames)];
  const bases = publicBaseUrls.map((base) => new URL(base));
  const named = bases.flatMap((base) =>
    hostNames.map((hostName) => {
      const url = new URL(base);
      url.hostname = hostName;
      return url;
    }),
  );
  return {
    isAnonymousPull: anonymousPull,
    ownOrigins: [...bases, ...named].map((url) => url.origin),
    surfaces: segmentNames(oci),
  };
}
