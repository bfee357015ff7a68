import type { ImageSources } from "@sealhouse/oci-distribution";
import { segmentOf } from "@sealhouse/oci-distribution";
import type { SharedParts } from "./image-parts.ts";

/** Answers about repositories as a whole. */
export function imageSources({
  locator,
  origins,
  mirrored,
  surfaces,
}: Pick<SharedParts, "locator" | "origins" | "mirrored" | "surfaces">): ImageSources {
  return {
    repositoryAt: (registry, name) => locator.repositoryAt(registry, name),
    async mirroredFrom(repository) {
      if (!(await locator.hasSources())) return undefined;
      const origin = await origins.find("oci", repository);
      return origin?.origin === "mirrored" ? origin.source : undefined;
    },
    async mayHaveMore(repository) {
      const image = await locator.wanted(repository);
      const located = image && (await locator.locate(image));
      return located?.status === "sources";
    },
    hidden(repositories) {
      const { segments, showsMirrored } = surfaces;
      const hiding = repositories.filter((name) => !showsMirrored(segmentOf(segments, name)));
      return mirrored.lookup.names(hiding);
    },
  };
}
