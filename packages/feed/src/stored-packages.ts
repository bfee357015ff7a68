import type { PackageContent, ServedPackage } from "@sealhouse/nuget-protocol";
import type { BlobStore } from "@sealhouse/storage-providers";
import { assertSound } from "@sealhouse/storage-providers";

/** The stored bytes of NuGet packages, without a repository signature. */
export function storedPackages(blobs: Pick<BlobStore, "read">): PackageContent {
  return {
    async open({ blob }) {
      assertSound(blob);
      const read: ServedPackage["read"] = (...range) => blobs.read(blob.key, ...range);
      return { size: blob.size, read, etag: blob.sha256 };
    },
  };
}
