import type { Refusal } from "../../policy/wanted-version.ts";
import { contentKeyOf } from "../../sources/package-source.ts";
import { createImageDocuments, digestIn } from "./image-documents.ts";
import { createImageLocator, nameAt } from "./image-locator.ts";
import { governedImages } from "./governed-images.ts";
import { createImagePolicy } from "./image-policy.ts";
import type { ImageMirrorParts, MirroredImages, SharedParts } from "./image-parts.ts";
import { createImageRegistries } from "./image-registries.ts";
import { imageSources } from "./image-sources.ts";
import { mirroredBlobs } from "./mirrored-blobs.ts";
import { mirroredManifests } from "./mirrored-manifests.ts";
import type { ShownImage } from "./image-policy.ts";

/**
 * Extends the lookups of a registry with the repositories of its sources. Content is fetched when a
 * client requests it, and kept. Without a source, only rules that deny change the answers.
 */
export function mirrorImages(parts: ImageMirrorParts): MirroredImages {
  const { mirror, surfaces, now } = parts;
  const registries = createImageRegistries(mirror, now);
  const locator = createImageLocator(mirror, { segments: surfaces.segments, now });
  const documents = createImageDocuments({ ...parts, registries });
  const policy = createImagePolicy(parts);
  const shared = { ...parts, registries, locator, documents, policy };
  return {
    blobs: mirroredBlobs(shared),
    ...governedImages({ manifests: mirroredManifests(shared), past: parts.past }, policy),
    sources: imageSources(shared),
    withheld: withheldImages(shared),
  };
}

/**
 * Returns why a rule denies an image that is here, or why its tag answers with it although the
 * source has a newer one. Decides by the kept documents, without a call to a source.
 */
export function withheldImages({
  local,
  locator,
  kept,
  policy,
}: Pick<SharedParts, "local" | "locator" | "kept" | "policy">): (
  shown: ShownImage,
) => Promise<Refusal | undefined> {
  const newest = async ({ repository, tag = "" }: ShownImage) => {
    const image = await locator.wanted(repository);
    const located = image && (await locator.locate(image));
    if (!image || located?.status !== "sources" || !located.isClaimed) return undefined;
    const [source] = located.sources;
    if (!source || source.settings.minimumReleaseAgeMs <= 0) return undefined;
    const from = { source: contentKeyOf(source), name: nameAt(source, image) };
    const bytes = await kept.bytes({ protocol: "oci", kind: "tag", part: tag, ...from });
    return bytes && { image, source, digest: await digestIn({ bytes: async () => bytes }) };
  };
  return async (shown) => {
    const denial = await policy.denial(shown);
    if (denial || shown.tag === undefined) return denial;
    const found = await newest(shown);
    if (!found || found.digest === shown.digest) return undefined;
    if (await local.manifests.find(shown.repository, found.digest)) return undefined;
    const decision = await policy.judge({ ...shown, ...found, isKept: false });
    if (decision.status !== "held") return undefined;
    const { moved, ...refusal } = decision;
    return { ...refusal, text: moved };
  };
}
