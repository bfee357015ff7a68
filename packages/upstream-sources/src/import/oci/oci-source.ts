import type { ImageSource } from "@sealhouse/oci-distribution/client";

/** A manifest of a source repository, with the tags that point to it. */
export type SourceImage = {
  /** Tag or digest in the source. */
  readonly reference: string;
  readonly tags: readonly string[];
};

/** A repository to import. */
export type SourceRepository = {
  /** Its name in the source. */
  readonly name: string;
  readonly images: ImageSource;
  /** @throws {SourceError | CallError} */
  listImages(signal: AbortSignal): AsyncIterable<SourceImage>;
};

/** A registry or folder that repositories are imported from. */
export type OciSource = {
  /** @throws {SourceError | CallError} */
  repositories(signal: AbortSignal): AsyncIterable<SourceRepository>;
};
