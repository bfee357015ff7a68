import type { ImageSeal } from "@sealhouse/console";
import type {
  AttachedManifest,
  Digest,
  RepositoryName,
  StoredManifest,
} from "@sealhouse/oci-distribution";
import type { SealFormat } from "@sealhouse/oci-distribution/seal";
import type { ConsoleImagesParts } from "./console-images-parts.ts";
import { ociFiles } from "./oci-files.ts";

const FORMAT_NAMES: Readonly<Record<SealFormat, string>> = {
  cosign: "cosign",
  bundle: "Sigstore bundle",
  notation: "notation",
};

type Wanted = {
  readonly name: RepositoryName;
  readonly manifest: StoredManifest;
  /** What refers to it. */
  readonly attached: readonly AttachedManifest[];
};

/** Whether this registry has signed a manifest, as clients that know its keys of now find. */
export async function sealOf(
  parts: ConsoleImagesParts,
  { name, manifest, attached }: Wanted,
): Promise<ImageSeal> {
  const { sealKeys: keys, database, blobs, rules } = parts;
  if (!keys) return { status: "off" };
  if (attached.length === 0) return { status: "unsigned" };
  const { sealKeyOf, verifiedSeals } = await import("@sealhouse/oci-distribution/seal");
  const { browsing, manifests, blobs: blobCatalog } = database.oci;
  const ports = {
    keys,
    now: rules.now,
    files: ociFiles(blobs.oci),
    // Looking at an image does not count as using it.
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
    const isClaimed = attached.some((one) => sealKeyOf(one) !== undefined);
    return { status: isClaimed ? "other-key" : "unsigned" };
  } catch {
    // The key service is away; the page is about more than the seal.
    return { status: "unchecked" };
  }
}
