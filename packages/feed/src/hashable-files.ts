import type { HashableFiles, ServedPackage, StoredPackage } from "@sealhouse/nuget-protocol";
import type { BlobStore } from "@sealhouse/storage-providers";

/**
 * Reads stored packages with their current signatures. Needs no key, so it works while signing is
 * disabled.
 */
export function createHashableFiles(blobs: Pick<BlobStore, "read">): HashableFiles {
  // Loads the signing library on first use.
  const load = () => import("@sealhouse/repo-signing");
  const sourceOf = ({ blob }: StoredPackage) => {
    const read: ServedPackage["read"] = (...range) => blobs.read(blob.key, ...range);
    return { size: blob.size, sha256: blob.sha256, read };
  };
  return {
    signed: async (stored, seal) => (await load()).openSealed(sourceOf(stored), seal),
    async contentHash(stored) {
      const { contentHash } = await load();
      try {
        return (await contentHash(sourceOf(stored), "SHA512")).toString("base64");
      } catch (error) {
        // The author signature is unreadable, so the unsigned content is unknown.
        if (isUnreadable(error)) return undefined;
        throw error;
      }
    },
  };
}

/** An `ArchiveError` or a `SignatureError`; the latter has a code of the NuGet client. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "archive-unsignable" || /^NU3\d{3}$/.test(String(error.code));
}
