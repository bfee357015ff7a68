import type { ImageSources } from "./ports.ts";

/** The sources of a registry that has none. A client may name any registry (`ns`). */
export const NO_IMAGE_SOURCES: ImageSources = {
  repositoryAt: (_registry, name) => Promise.resolve(name),
  claimOn: () => Promise.resolve(undefined),
  mayHaveMore: () => Promise.resolve(false),
  hidden: () => Promise.resolve(new Set()),
};
