import type { RepositoryName } from "../repository-name.ts";

/**
 * Repositories whose content comes from other registries. While one fails, reads of `manifests`
 * throw errors with the code `upstream-unavailable`.
 */
export interface ImageSources {
  /** Returns the repository here that mirrors a name at a registry, which the client named (`ns`);
   * undefined if no source is for that registry. */
  repositoryAt(registry: string, name: RepositoryName): Promise<RepositoryName | undefined>;
  /** Returns a name that no repository has, for a repository that is hidden from a caller. Lookups
   * answer for it as for an unknown name. The sources that the hidden name would go to get this
   * name. The same one for the same name. */
  standIn(repository: RepositoryName): Promise<RepositoryName>;
  /** Returns why a repository takes no pushes; undefined for one that does. */
  claimOn(repository: RepositoryName): Promise<SourceClaim | undefined>;
  /** Returns false if all content of the repository is here. */
  mayHaveMore(repository: RepositoryName): Promise<boolean>;
  /** Returns the repositories of a page that `_catalog` omits. */
  hidden(repositories: readonly RepositoryName[]): Promise<ReadonlySet<string>>;
}

/**
 * The claim of a source on a repository. `mirrored`: its content was found at the source. `named`:
 * nothing is here, and clients expect the image of the source under this name.
 */
export type SourceClaim = { readonly kind: "mirrored" | "named"; readonly source: string };

/** Content that is not the newest of its source. */
export type StaleContent = {
  /** It could not be compared with its source. */
  readonly stale?: Staleness;
  /** Why newer content is held back, for people; ASCII without quotes. */
  readonly held?: string;
};

/** Marks answers whose content comes from a source that fails. */
export type Staleness = {
  /** Name of the source. */
  readonly source: string;
  /** Since when the source fails. */
  readonly since: Date;
  /** When the source last confirmed the content. */
  readonly checkedAt: Date;
};
