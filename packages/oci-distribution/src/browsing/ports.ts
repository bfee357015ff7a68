import type { Digest } from "../digest.ts";
import type { StoredBlob, StoredManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

// Reads for the web pages. Unlike `ManifestCatalog` and `BlobCatalog`, they renew no clock and
// count as no pull: viewing an image must not delay its deletion.

/** Lists repositories and their tags, page by page. */
export interface RepositoryListing {
  /** Returns names that contain `text` and sort after `after`, in code unit order. */
  names(namesQuery: {
    readonly text: string;
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly RepositoryName[]>;
  /** Returns the repositories with these names, in any order. Omits names that do not exist. */
  repositories(names: readonly RepositoryName[]): Promise<readonly RepositoryLine[]>;
  /** Returns the tags that contain `text`, newest first; undefined if the repository does not
   * exist. */
  tags(repository: RepositoryName, tagsQuery: TagsQuery): Promise<TagPage | undefined>;
}

/** A repository in a list. */
export type RepositoryLine = {
  readonly name: RepositoryName;
  readonly createdAt: Date;
  readonly pulls: number;
  /** Number of tags, without attached tags. */
  readonly tagCount: number;
  /** Time of the last change of a tag; undefined if there is no tag. */
  readonly pushedAt?: Date;
};

/** Filter and position for one page of tags. */
export type TagsQuery = {
  readonly text: string;
  /** Whether to include attached tags, which clients make from a digest. */
  readonly withAttached: boolean;
  readonly from: number;
  readonly size: number;
};

/** One page of tags, and the number of tags on all pages. */
export type TagPage = {
  readonly total: number;
  readonly lines: readonly TagLine[];
};

/** A tag in a list, with the manifest that it points to. */
export type TagLine = ManifestLine & {
  readonly tag: string;
  readonly pushedAt: Date;
  readonly pulledAt?: Date;
  /** Whether a client made the tag from the digest of another manifest. */
  readonly isAttached: boolean;
};

/** A manifest in a list. */
export type ManifestLine = {
  readonly digest: Digest;
  readonly mediaType: string;
  /** Bytes of the manifest. */
  readonly size: number;
  readonly artifactType?: string;
  /** Undefined for a manifest with too many references to add up. */
  readonly content?: {
    /** Total bytes of config and layers; counts each digest once. */
    readonly size: number;
    /** Number of manifests that it lists. */
    readonly children: number;
  };
};

/** Reads a manifest and the manifests related to it. */
export interface ManifestDetails {
  /** Finds a manifest by tag or digest. */
  manifest(repository: RepositoryName, reference: string): Promise<ShownManifest | undefined>;
  /** Returns the manifests with these digests that exist, in any order. */
  children(
    repository: RepositoryName,
    digests: readonly Digest[],
  ): Promise<readonly ManifestLine[]>;
  /** Returns indexes that list the manifest. */
  parents(
    repository: RepositoryName,
    digest: Digest,
    limit: number,
  ): Promise<readonly ManifestLine[]>;
  /** Returns manifests attached to it, by `subject` or by a tag made from its digest; newest
   * first. */
  attached(repository: RepositoryName, digest: Digest, limit: number): Promise<Attached>;
  /**
   * Returns manifests attached to any of these, newest first, at most `limit`. Omits annotations
   * that are longer than 4 KiB.
   */
  attachedToAny(
    repository: RepositoryName,
    digests: readonly Digest[],
    limit: number,
  ): Promise<readonly AttachedToOne[]>;
  /** Finds a live blob that this repository links. */
  blob(repository: RepositoryName, digest: Digest): Promise<StoredBlob | undefined>;
}

/** A manifest with its tags and times. */
export type ShownManifest = StoredManifest & {
  readonly pushedAt: Date;
  /** Time of the last pull by the requested tag. */
  readonly pulledAt?: Date;
  /** Its first tags in order of their names, without attached tags. */
  readonly tags: readonly string[];
  readonly tagCount: number;
};

/** Manifests attached to another one: the first ones, and their total number. */
export type Attached = {
  readonly total: number;
  readonly manifests: readonly AttachedManifest[];
};

/** A manifest attached to another one, by its `subject` or by a tag made from the digest. */
export type AttachedManifest = ManifestLine & {
  readonly pushedAt: Date;
  /** Tag made from the digest of the subject, if the manifest is attached by a tag. */
  readonly tag?: string;
  /** JSON text. */
  readonly annotations?: string;
};

/** An attached manifest, with the manifest that it is attached to. */
export type AttachedToOne = AttachedManifest & { readonly subject: Digest };
