import type * as repoSigning from "../index.ts";
import { rateLimitedWarnings } from "./rate-limited-warnings.ts";
import type { FeedSigningOptions } from "./feed-options.ts";

type Library = typeof repoSigning;

/** Signs packages that have no repository signature yet when they are first requested. */
export function signOnDemand(
  { seals, sealLookup, leases, log, now }: FeedSigningOptions,
  sealer: Pick<repoSigning.Sealer, "sealOnDownload">,
  library: Library,
): repoSigning.OnDemandSealing {
  return library.createOnDemandSealing({
    sealer,
    keeper: seals,
    report: rateLimitedWarnings(log, now),
    across: library.oneInstanceOnly({
      leases,
      seals: sealLookup,
    }),
  });
}
