import type { HashableFiles, StoredPackage } from "@sealhouse/nuget-protocol";
import type { BlobStore } from "@sealhouse/storage-providers";

/** Reads stored packages as their signatures make them. No key is needed, so it works while signing
 * is off, too. */
export function createHashableFiles(blobs: Pick<BlobStore, "read">): HashableFiles {
  // What can sign is loaded when something has to be read.
  const load = () => import("@sealhouse/repo-signing");
  const sourceOf = ({ blob }: StoredPackage) => ({
    size: blob.size,
    sha256: blob.sha256,
    read: (range?: { readonly start: number; readonly end: number }) => blobs.read(blob.key, range),
  });
  return {
    signed: async (stored, seal) => (await load()).openSealed(sourceOf(stored), seal),
    async contentHash(stored) {
      const { ArchiveError, SignatureError, contentHash } = await load();
      try {
        return (await contentHash(sourceOf(stored), "SHA512")).toString("base64");
      } catch (error) {
        // It came with a signature that nobody can read: there is nothing to take off.
        if (error instanceof ArchiveError || error instanceof SignatureError) return undefined;
        throw error;
      }
    },
  };
}
