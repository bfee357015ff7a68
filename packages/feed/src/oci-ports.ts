import { createImageAuthorize, createImageTokens } from "@sealhouse/identity";
import type { BlobCatalog, OciPorts } from "@sealhouse/oci-distribution";
import type { BlobStore, WatchedBlobStore } from "@sealhouse/storage-providers";
import type { FeedParts } from "./feed-parts.ts";
import { PRESIGNED_MS } from "./redirected-packages.ts";

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

/**
 * The bytes of images, as the registry's port has them. `redirects`: clients read blobs from the
 * object store.
 */
export function imageFiles(
  store: BlobStore,
  { redirects = false }: { readonly redirects?: boolean } = {},
): OciPorts["files"] {
  return {
    ...(redirects && {
      address: ({ key }) => store.presign(key, { expiresInMs: PRESIGNED_MS }),
    }),
    stage: (body, options) => store.stage(body, options),
    append: (...part) => store.uploads.append(...part),
    assemble: (id, size, options) => store.uploads.assemble(id, size, options),
    drop: (id) => store.uploads.drop(id),
    open: ({ key, size }) => ({ size, read: (...args) => store.read(key, ...args) }),
    isPresent: ({ key }) => store.isPresent(key),
  };
}

/** The catalog of blobs, whose shortcuts for known bytes look whether the object is there. */
export function confirmedBlobs(
  catalog: BlobCatalog,
  { confirm }: Pick<WatchedBlobStore, "confirm">,
): BlobCatalog {
  return {
    ...catalog,
    isKnown: async (digest) => (await catalog.isKnown(digest)) && confirm(digest),
    async mount(repository, digest, from) {
      return (await confirm(digest)) && catalog.mount(repository, digest, from);
    },
    async link(repository, blob, caller) {
      // Keeping bytes compares only SHA-256; other digests need a check.
      if (!blob.digest.startsWith("sha256:")) await confirm(blob.digest);
      return catalog.link(repository, blob, caller);
    },
  };
}
