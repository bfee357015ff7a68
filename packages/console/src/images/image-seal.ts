import type { ImageSeal } from "./model.ts";
import type {
  AttachedManifest,
  Digest,
  RepositoryName,
  StoredManifest,
} from "@sealhouse/oci-distribution";
import type { SealFormat } from "@sealhouse/oci-distribution/seal";
import type { ImageLookups } from "./image-lookups.ts";

const FORMAT_NAMES: Readonly<Record<SealFormat, string>> = {
  cosign: "cosign",
  bundle: "Sigstore bundle",
  notation: "notation",
};

type SealedManifest = {
  readonly name: RepositoryName;
  readonly manifest: StoredManifest;
  /** The referrers of the manifest. */
  readonly attached: readonly AttachedManifest[];
};

/** Verifies the signatures of a manifest with the current keys of this registry. */
export async function sealOf(
  lookups: ImageLookups,
  { name, manifest, attached }: SealedManifest,
): Promise<ImageSeal> {
  const { sealKeys: keys, oci, imageFiles, rules } = lookups;
  if (!keys) return { status: "off" };
  if (attached.length === 0) return { status: "unsigned" };
  const { sealKeyOf, verifiedSeals } = await import("@sealhouse/oci-distribution/seal");
  const { browsing, manifests, blobs: blobCatalog } = oci;
  const ports = {
    keys,
    now: rules.now,
    files: imageFiles,
    // Viewing an image must not count as a pull.
    blobs: {
      ...blobCatalog,
      find: (from: RepositoryName, digest: Digest) => browsing.blob(from, digest),
    },
    manifests: {
      ...manifests,
      find: (from: RepositoryName, by: string) => browsing.manifest(from, by),
    },
  };
  try {
    const formats = await verifiedSeals(ports, name, manifest);
    if (formats.length > 0) {
      return { status: "signed", formats: formats.map((format) => FORMAT_NAMES[format]) };
    }
    const isClaimed = attached.some((attachment) => sealKeyOf(attachment) !== undefined);
    return { status: isClaimed ? "other-key" : "unsigned" };
  } catch {
    // The key service is unavailable; the rest of the page is still useful.
    return { status: "unchecked" };
  }
}
