/** Kind of a manifest: an image (config and layers) or an index of manifests. */
export type ManifestKind = "image" | "index";

export const OCI_IMAGE_INDEX = "application/vnd.oci.image.index.v1+json";
export const OCI_IMAGE_MANIFEST = "application/vnd.oci.image.manifest.v1+json";

const KINDS: ReadonlyMap<string, ManifestKind> = new Map([
  [OCI_IMAGE_MANIFEST, "image"],
  [OCI_IMAGE_INDEX, "index"],
  ["application/vnd.docker.distribution.manifest.v2+json", "image"],
  ["application/vnd.docker.distribution.manifest.list.v2+json", "index"],
]);

/** Returns the kind of a manifest media type; undefined for other media types. */
export function manifestKindOf(mediaType: string): ManifestKind | undefined {
  return KINDS.get(mediaType);
}

/** Layers under a licence that keeps them out of registries; they may be absent permanently. */
export function isForeignLayer(mediaType: string): boolean {
  return mediaType.includes(".nondistributable.") || mediaType.includes(".rootfs.foreign.");
}

/** A `Content-Type` without its parameters. */
export function bareMediaType(contentType: string): string {
  const [type = ""] = contentType.split(";", 1);
  return type.trim();
}
