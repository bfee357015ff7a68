import type { ImageSource } from "@sealhouse/oci-distribution/client";

/** A manifest of a repository, and the tags that lead to it. */
export type WantedImage = {
  /** A tag or a digest of the source. */
  readonly reference: string;
  readonly tags: readonly string[];
};

/** One repository to take over. */
export type SourceRepository = {
  /** As it is called there. */
  readonly name: string;
  readonly images: ImageSource;
  /** @throws {SourceError | CallError} */
  wanted(signal: AbortSignal): AsyncIterable<WantedImage>;
};

/** Where repositories come from: a registry, or a folder. */
export type OciSource = {
  /** @throws {SourceError | CallError} */
  repositories(signal: AbortSignal): AsyncIterable<SourceRepository>;
};
