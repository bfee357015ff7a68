import type { ImageSources } from "@sealhouse/oci-distribution";
import { parseRepositoryName, segmentOf } from "@sealhouse/oci-distribution";
import type { SharedParts } from "./image-parts.ts";
import { sourceOfName } from "./names-of-sources.ts";

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
    async standIn(repository) {
      const image = await locator.wanted(repository);
      const below = image?.nameAtSource ?? repository;
      const prefix = repository.slice(0, repository.length - below.length);
      return parseRepositoryName(mirror.standIns.of({ protocol: "oci", name: repository, prefix }));
    },
    async claimOn(repository) {
      const sources = await mirror.configured("oci");
      if (sources.length === 0) return undefined;
      const origin = await origins.find("oci", repository);
      if (origin?.origin === "mirrored") return { kind: "mirrored", source: origin.source };
      if (origin) return undefined;
      const source = sourceOfName(repository, { segments: surfaces.segments, sources });
      return source && { kind: "named", source: source.name };
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
