import type { RepositoryName } from "../repository-name.ts";
import type { ImageSources } from "./ports.ts";

/** Not a valid name, so no repository has it. */
const EMPTY_NAME = "" as RepositoryName;

/** The sources of a registry that has none. A client may name any registry (`ns`). */
export const NO_IMAGE_SOURCES: ImageSources = {
  repositoryAt: (_registry, name) => Promise.resolve(name),
  standIn: () => Promise.resolve(EMPTY_NAME),
  claimOn: () => Promise.resolve(undefined),
  mayHaveMore: () => Promise.resolve(false),
  hidden: () => Promise.resolve(new Set()),
};
