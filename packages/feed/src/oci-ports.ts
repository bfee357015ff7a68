import { createImageAuthorize, createImageTokens } from "@sealhouse/identity";
import type { OciPorts } from "@sealhouse/oci-distribution";
import type { FeedParts } from "./feed-parts.ts";
import { confirmedBlobs, imageFiles } from "./image-files.ts";

/** The ports of a container registry. */
export function ociPorts({ access, allowed, database, blobs }: FeedParts): OciPorts {
  const { rules, anonymous } = allowed;
  const authorize = createImageAuthorize(rules);
  return {
    blobs: confirmedBlobs(database.oci.blobs, blobs.oci),
    manifests: database.oci.manifests,
    uploads: database.oci.uploads,
    files: imageFiles(blobs.oci),
    authorize: async (request, env, neededAccess) =>
      access === "open"
        ? { status: "granted", caller: anonymous(request, env), mayPull: () => true }
        : authorize(request, env, neededAccess),
    tokens: createImageTokens(rules),
    address(request, env) {
      const { base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return { base, cacheable };
    },
    count: () => undefined,
    past: database.oci.past,
  };
}
