import type { ImageSources } from "@sealhouse/oci-distribution";
import { segmentOf } from "@sealhouse/oci-distribution";
import type { SharedParts } from "./image-parts.ts";

/** Answers about repositories as a whole. */
export function imageSources({
  locator,
  mirror,
  origins,
  mirrored,
  surfaces,
}: Pick<SharedParts, "locator" | "mirror" | "origins" | "mirrored" | "surfaces">): ImageSources {
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
    async hidden(repositories) {
      const { segments, showsMirrored } = surfaces;
      const unlisted = new Set(await mirror.unlisted("oci"));
      const isHiding = (name: string) => !showsMirrored(segmentOf(segments, name));
      const asked = unlisted.size > 0 ? repositories : repositories.filter(isHiding);
      const found = [...(await mirrored.lookup.sourcesOf(asked))];
      const hidden = found.filter(([name, source]) => unlisted.has(source) || isHiding(name));
      return new Set(hidden.map(([name]) => name));
    },
  };
}
