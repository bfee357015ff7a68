import type { BlobCatalog, Digest, OciPorts, RepositoryName } from "@sealhouse/oci-distribution";
import { catalogSource, isRepositoryName } from "@sealhouse/oci-distribution";
import { createCopier, isCopyError } from "@sealhouse/oci-distribution/client";
import type { ImageSource, ImageTarget } from "@sealhouse/oci-distribution/client";
import type { Platforms } from "../wanted/join-wanted.ts";
import type { WantedImage } from "../wanted/wanted.ts";
import type { Brought } from "./brought.ts";
import { drain, FETCHED, missing, NOT_KEPT, PRESENT } from "./brought.ts";
import { otherPlatforms } from "./other-platforms.ts";

type Catalogs = Pick<OciPorts, "blobs" | "manifests">;

/** The ports that bring images. */
export type ImageFillPorts = {
  /** The stored images. */
  readonly stored: Catalogs;
  /** The same, with the sources. */
  readonly mirrored: Catalogs;
  readonly files: OciPorts["files"];
  /** Operating systems of the images that are mirrored; empty: all. */
  readonly allowedOs: (repository: RepositoryName) => readonly string[];
};

/** Brings an image with everything that it contains, and what refers to it: signatures, SBOMs. */
export async function bringImage(
  ports: ImageFillPorts,
  { host, name, reference }: WantedImage,
  { platforms, signal }: { readonly platforms: Platforms; readonly signal: AbortSignal },
): Promise<Brought> {
  if (!isRepositoryName(name)) return missing("It is not a valid repository name.");
  const before = await ports.stored.manifests.find(name, reference);
  // Another registry may have another image of this name.
  const catalogs = host === undefined ? ports.mirrored : ports.stored;
  const left = new Map<Digest, number>();
  const allowed = ports.allowedOs(name);
  const wanted = [platforms, allowed.length > 0 ? { os: allowed } : {}];
  const source = sourceOf({ ...catalogs, files: ports.files }, name, { wanted, left });
  const reading = readingTarget(ports.stored.blobs, name, left);
  try {
    const { digest } = await createCopier(source, reading.target, { signal }).copy(reference);
    if (reading.unkept()) return missing(NOT_KEPT);
    return before?.digest === digest && reading.isUnused() ? PRESENT : FETCHED;
  } catch (error) {
    if (!isCopyError(error) || error.code !== "absent") throw error;
    return missing(host === undefined ? "No source has this image." : `No source is for ${host}.`);
  }
}

/** Adds the children for other platforms to `left`; they are not copied. */
function sourceOf(
  ports: Pick<OciPorts, "blobs" | "manifests" | "files">,
  repository: RepositoryName,
  { wanted, left }: { readonly wanted: readonly Platforms[]; readonly left: Map<Digest, number> },
): ImageSource {
  const source = catalogSource(ports, repository);
  return {
    ...source,
    async manifest(reference, options) {
      if (left.has(reference as Digest)) return undefined;
      const found = await source.manifest(reference, options);
      const others = found ? wanted.flatMap((platforms) => otherPlatforms(found, platforms)) : [];
      for (const { digest, size } of others) left.set(digest, size);
      return found;
    },
    async blob({ digest }) {
      const found = await ports.blobs.find(repository, digest);
      if (!found) return undefined;
      const body = (found.content ?? ports.files.open(found)).read();
      return { body, [Symbol.asyncDispose]: async () => undefined };
    },
  };
}

/** Returns a target that reads missing blobs. The mirror stores them at the same time. */
function readingTarget(
  stored: Pick<BlobCatalog, "find">,
  repository: RepositoryName,
  left: ReadonlyMap<Digest, number>,
) {
  const tags = new Map<string, Digest>();
  let fetched = 0;
  let unkept = 0;
  const sizeOf = async (digest: Digest) =>
    (await stored.find(repository, digest, { method: "HEAD" }))?.size;
  const target: ImageTarget = {
    label: repository,
    // A stored manifest may have blobs that are not.
    findManifest: async (reference) => tags.get(reference),
    findBlob: async (digest) => left.get(digest) ?? sizeOf(digest),
    mount: async () => false,
    async putBlob(blob) {
      const { digest } = blob;
      await drain(blob.read());
      fetched += 1;
      if ((await sizeOf(digest)) === undefined) unkept += 1;
    },
    putManifest: async () => undefined,
    putTag: async (tag, { digest }) => void tags.set(tag, digest),
  };
  return { target, unkept: () => unkept > 0, isUnused: () => fetched === 0 };
}
