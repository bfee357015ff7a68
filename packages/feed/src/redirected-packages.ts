import type { PackageContent } from "@sealhouse/nuget-protocol";
import type { BlobStore, DerivedCopies } from "@sealhouse/storage-providers";

/** Folder of the copies of signed packages. */
export const SIGNED_COPIES = "nuget/signed";

/**
 * Packages that clients download from the object store. A package whose signature is added during
 * the download has no object with its bytes, so it is copied; until then the host serves it.
 */
export function redirectedPackages(
  content: PackageContent,
  { blobs, copies }: { readonly blobs: Pick<BlobStore, "presign">; readonly copies: DerivedCopies },
): PackageContent {
  return {
    async open(storedPackage, signal) {
      const served = await content.open(storedPackage, signal);
      const { key, sha256 } = storedPackage.blob;
      const isStored = served.etag === sha256;
      const expiry = { expiresInMs: PRESIGNED_MS };
      return {
        ...served,
        address: () => (isStored ? blobs.presign(key, expiry) : copies.presign(served, expiry)),
      };
    },
  };
}

/**
 * Milliseconds for which a presigned URL is valid: longer than a client takes to follow it, also
 * a client that waits for a free connection.
 */
export const PRESIGNED_MS = 10 * 60_000;
