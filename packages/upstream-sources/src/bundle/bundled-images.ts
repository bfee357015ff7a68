import { isDigest } from "@sealhouse/oci-distribution";
import type { ImageSource, SourceManifest } from "@sealhouse/oci-distribution/client";
import { referrersAmong } from "../import/oci/folder-manifest.ts";
import type { OciSource } from "../import/oci/oci-source.ts";
import type { Bundle, BundledImage } from "./read-bundle.ts";

/** The images of a bundle as the source of an import. */
export function bundledImages(bundle: Bundle): OciSource {
  const byRepository = Map.groupBy(bundle.images, ({ repository }) => repository);
  return {
    async *repositories() {
      for (const [name, images] of byRepository) {
        const source = sourceOf(bundle, name, images);
        yield { name, images: source, listImages: () => imagesIn(images) };
      }
    },
  };
}

async function* imagesIn(images: readonly BundledImage[]) {
  for (const [digest, same] of Map.groupBy(images, (image) => image.digest)) {
    yield { reference: digest, tags: same.flatMap(({ tag }) => tag ?? []) };
  }
}

function sourceOf(bundle: Bundle, label: string, images: readonly BundledImage[]): ImageSource {
  const { file } = bundle;
  let referrers: ReturnType<typeof referrersAmong> | undefined;
  return {
    label,
    async manifest(reference) {
      const tagged = images.find(({ tag }) => tag === reference)?.digest;
      const digest = isDigest(reference) ? reference : tagged;
      return digest && bundle.manifest(digest);
    },
    async blob({ digest }, { signal }) {
      if (file.sizeOf(digest) === undefined) return undefined;
      const body = file.read(digest, signal);
      return { body, [Symbol.asyncDispose]: async () => undefined };
    },
    async referrers(subject) {
      referrers ??= referrersAmong(manifestsOf(bundle, images));
      return (await referrers).get(subject) ?? [];
    },
    async *tags() {
      for (const { tag } of images) if (tag !== undefined) yield tag;
    },
  };
}

async function* manifestsOf(
  bundle: Bundle,
  images: readonly BundledImage[],
): AsyncGenerator<SourceManifest, void, undefined> {
  for (const digest of new Set(images.map((image) => image.digest))) {
    const found = await bundle.manifest(digest);
    if (found) yield found;
  }
}
