import { createImageDocuments } from "./image-documents.ts";
import { createImageLocator } from "./image-locator.ts";
import { governedImages } from "./governed-images.ts";
import { createImagePolicy } from "./image-policy.ts";
import type { ImageMirrorParts, MirroredImages } from "./image-parts.ts";
import { createImageRegistries } from "./image-registries.ts";
import { imageSources } from "./image-sources.ts";
import { mirroredBlobs } from "./mirrored-blobs.ts";
import { withheldImages } from "./withheld-images.ts";
import { mirroredManifests } from "./mirrored-manifests.ts";

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
