import { createPackageAuthorize } from "@sealhouse/identity";
import { NO_UPSTREAM } from "@sealhouse/nuget-protocol";
import type { NuGetPorts, PackageContent, ServedPackage } from "@sealhouse/nuget-protocol";
import type { BlobStore } from "@sealhouse/storage-providers";
import { assertSound } from "@sealhouse/storage-providers";
import type { FeedParts } from "./feed-parts.ts";

/** The ports of a NuGet feed that signs nothing. */
export function nugetPorts(parts: FeedParts, path: string): NuGetPorts {
  const { access, allowed, database, blobs, downloads } = parts;
  const { rules, anonymous } = allowed;
  const authorize = createPackageAuthorize(rules, "nuget");
  return {
    ...database.nuget,
    documents: allowed.documents,
    views: { past: database.nuget.past, documents: database.viewDocuments },
    upstream: NO_UPSTREAM,
    files: blobs.nuget,
    content: storedPackages(blobs.nuget),
    sealer: { seal: async () => ({ status: "unsealed" }) },
    authorize: async (request, env, neededAccess) =>
      access === "open"
        ? { status: "granted", caller: anonymous(request, env) }
        : authorize(request, env, neededAccess),
    address(request, env) {
      const { base, cacheable } = rules.contexts.of(request, env).publicAddress;
      return { base: `${base}${path}`, cacheable };
    },
    count(_what, pulled) {
      if (pulled) downloads.add("nuget", pulled.id, pulled.version);
    },
  };
}

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
