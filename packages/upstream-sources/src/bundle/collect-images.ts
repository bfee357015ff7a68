import type { OciPorts, RepositoryName } from "@sealhouse/oci-distribution";
import {
  catalogSource,
  isDigest,
  isRepositoryName,
  parseManifest,
} from "@sealhouse/oci-distribution";
import { createCopier, isCopyError } from "@sealhouse/oci-distribution/client";
import type { ImageTarget, SourceManifest } from "@sealhouse/oci-distribution/client";
import type { WantedImage } from "../wanted/wanted.ts";
import type { BundleContents } from "./bundle-contents.ts";
import { REF_NAME, REPOSITORY, TAG } from "./bundle-format.ts";
import type { Collected } from "./collected.ts";
import { ABSENT, BUNDLED, refused } from "./collected.ts";

/** The ports that an export of images reads. */
export type ImageExportPorts = Pick<OciPorts, "blobs" | "manifests" | "files">;

/** Adds an image with everything that it contains, and what refers to it: signatures, SBOMs. */
export async function collectImage(
  ports: ImageExportPorts,
  { name, reference, tag }: WantedImage,
  { contents, signal }: { readonly contents: BundleContents; readonly signal: AbortSignal },
): Promise<Collected> {
  if (!isRepositoryName(name)) return refused("It is not a valid repository name.");
  const source = catalogSource(ports, name);
  // Nothing of an incomplete image must get into the bundle.
  const additions: Addition[] = [];
  const target = bundleTarget(name, additions);
  const tags = isDigest(reference) ? [tag].filter((text) => text !== undefined) : [reference];
  try {
    await createCopier(source, target, { signal }).copy(reference, tags);
    const manifest = await source.manifest(reference, { signal });
    if (!manifest) return ABSENT;
    if (tags.length === 0) additions.push(listed(name, manifest));
    for (const add of additions) add(contents);
    return BUNDLED;
  } catch (error) {
    if (!isCopyError(error)) throw error;
    if (error.code === "absent") return ABSENT;
    // Of a mirrored image, only what clients asked for is here.
    if (error.code === "incomplete") return { status: "absent", reason: error.message };
    return refused(error.message);
  }
}

type Addition = (contents: BundleContents) => void;

/** Notes the blobs; they are read when the bundle is written. */
function bundleTarget(repository: RepositoryName, additions: Addition[]): ImageTarget {
  const manifests = new Map<string, SourceManifest["digest"]>();
  return {
    label: "the bundle",
    findManifest: async (reference) => manifests.get(reference),
    findBlob: async () => undefined,
    mount: async () => false,
    async putBlob(blob) {
      const { digest, size } = blob;
      additions.push((contents) => contents.addBlob({ digest, size, read: () => blob.read() }));
    },
    async putManifest(manifest) {
      const { digest, bytes, mediaType } = manifest;
      manifests.set(digest, digest);
      additions.push((contents) => contents.addBytes(bytes, digest));
      const isReferrer = parseManifest(bytes, mediaType).subject !== undefined;
      if (isReferrer) additions.push(listed(repository, manifest));
    },
    async putTag(tag, manifest) {
      manifests.set(tag, manifest.digest);
      additions.push(listed(repository, manifest, tag));
    },
  };
}

function listed(
  repository: RepositoryName,
  { digest, mediaType, bytes }: SourceManifest,
  tag?: string,
): Addition {
  const annotations = {
    [REPOSITORY]: repository,
    ...(tag !== undefined && { [TAG]: tag, [REF_NAME]: `${repository}:${tag}` }),
  };
  const entry = { mediaType, digest, size: bytes.length, annotations };
  return (contents) => contents.list(entry);
}
