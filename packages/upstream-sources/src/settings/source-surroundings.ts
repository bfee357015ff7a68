import type { SourceSurroundings } from "../sources/source-problems.ts";

/** Settings of the registry that packages of sources appear in. */
export type FeedOfSources = {
  readonly anonymousPull: boolean;
  readonly publicBaseUrls: readonly string[];
  readonly npm: { readonly hostNames: readonly string[] };
  readonly oci: {
    readonly segments: readonly {
      readonly name: string;
      readonly hostNames: readonly string[];
    }[];
  };
};

/** Facts about a registry that decide which package sources it may have. */
export function sourceSurroundings({
  anonymousPull,
  publicBaseUrls,
  npm,
  oci,
}: FeedOfSources): SourceSurroundings {
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
    surfaces: oci.segments.map(({ name }) => name),
  };
}
