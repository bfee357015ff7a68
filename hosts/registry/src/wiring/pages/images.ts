import { imageFiles } from "@sealhouse/feed";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import type { FeaturePages, PageParts } from "../feature.ts";
import type { PagesCore } from "./pages-core.ts";

const sealing = () => import("@sealhouse/oci-distribution/seal");

/** Composes the data sources of the pages of images. `sealKeys`: absent where images are not
 * signed. */
export function imagePages(
  { config, resources, content }: PagesCore,
  sealKeys: SealKeys | undefined,
  page: PageParts,
): Omit<FeaturePages, "npmPages"> {
  const { database, blobs } = resources;
  return {
    imagePages: {
      ...page,
      oci: database.oci,
      imageFiles: imageFiles(blobs.oci),
      served: config.feed.oci,
      sealKeys,
      withheld: content.mirrored.images.withheld,
      ownersOf: (name) => database.ownership.publishers({ protocol: "oci", name }),
    },
    signsImages: config.ociSeal !== undefined,
    imageKeys: sealKeys && {
      cosignPublicKey: async () => (await sealing()).cosignPublicKey(sealKeys),
      notationRoot: async () => (await sealing()).notationRoot(sealKeys),
    },
  };
}
