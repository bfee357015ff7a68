import type { Digest } from "../digest.ts";
import type { RepositoryName } from "../repository-name.ts";

/** The history of tags, for read-only views as of a time. */
export interface TagPast {
  /** Returns the digest of a tag at a time; undefined if the tag did not exist then. */
  digest(repository: RepositoryName, tag: string, time: Date): Promise<Digest | undefined>;
  /** Returns one page of the tags of that time in code unit order. */
  tags(
    repository: RepositoryName,
    time: Date,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]>;
  /** Returns a manifest that was deleted and whose content is still here. */
  deleted(repository: RepositoryName, digest: Digest): Promise<DeletedManifest | undefined>;
  /** Returns when the history begins; undefined while it is empty. May return any time up to `time`
   * if it begins before that. */
  beginning(time: Date): Promise<Date | undefined>;
}

/** A manifest that only views show. */
export type DeletedManifest = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};
