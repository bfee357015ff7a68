import { SYSTEM } from "@sealhouse/events";
import { confirmedBlobs, imageFiles } from "@sealhouse/feed";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import type { OciConfig } from "@sealhouse/oci-distribution/settings";
import { mirrorImages } from "@sealhouse/upstream-sources";
import type { ImageSurfaces, Mirror, MirroredImages, RuleList } from "@sealhouse/upstream-sources";
import type { Config } from "../../settings/config.ts";
import type { RegistryResources } from "../resources/registry-resources.ts";

type MirroredImageParts = {
  readonly config: Config;
  readonly resources: Pick<RegistryResources, "database" | "blobs">;
  readonly mirror: Mirror;
  readonly rules: RuleList;
  readonly now: () => Date;
};

/** The images of this registry and of its sources. */
export function openMirroredImages(parts: MirroredImageParts): MirroredImages {
  const { config, mirror, rules, now } = parts;
  const { database, blobs } = parts.resources;
  const { upstream, oci } = database;
  return mirrorImages({
    mirror,
    origins: upstream.origins,
    kept: upstream.documents,
    rules,
    firstSeen: upstream.firstSeen,
    past: oci.past,
    local: { blobs: confirmedBlobs(oci.blobs, blobs.oci), manifests: oci.manifests },
    mirrored: { ...oci.mirrored, blobs: confirmedBlobs(oci.mirrored.blobs, blobs.oci) },
    files: imageFiles(blobs.oci),
    surfaces: surfacesOf(config.feed.oci),
    maxBlobBytes: config.feed.oci.maxBlobBytes,
    caller: SYSTEM,
    now,
  });
}

/** The settings of segments for mirrored repositories. */
export function surfacesOf(oci: OciConfig): ImageSurfaces {
  const bySegment = new Map(oci.segments.map(({ name, mirrored }) => [name, mirrored]));
  const optionsOf = (segment: string | undefined) => bySegment.get(segment ?? "") ?? oci.mirrored;
  return {
    segments: segmentNames(oci),
    showsMirrored: (segment) => optionsOf(segment).inCatalog,
    allowedOs: (segment) => optionsOf(segment).allowedOs,
  };
}
