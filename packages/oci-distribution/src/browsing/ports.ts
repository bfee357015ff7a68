import type { Digest } from "../digest.ts";
import type { StoredBlob, StoredManifest } from "../ports.ts";
import type { RepositoryName } from "../repository-name.ts";

// What people are shown. Unlike `ManifestCatalog` and `BlobCatalog` nothing here renews a clock or
// counts as a pull: an image does not live longer because somebody looks at it.

/** Repositories and their tags, a page at a time. */
export interface RepositoryListing {
  /** Names that contain `text`, and sort after `after`, by code unit. */
  names(asked: {
    readonly text: string;
    readonly after: string;
    readonly limit: number;
  }): Promise<readonly RepositoryName[]>;
  /** Of a page of names; those that are not there are left out. In no order. */
  repositories(names: readonly RepositoryName[]): Promise<readonly RepositoryLine[]>;
  /** The tags that contain `text`, pushed last first; undefined: there is no such repository. */
  tags(repository: RepositoryName, asked: TagsAsked): Promise<TagPage | undefined>;
}

export type RepositoryLine = {
  readonly name: RepositoryName;
  readonly createdAt: Date;
  readonly pulls: number;
  /** Those that people gave. */
  readonly tagCount: number;
  /** When a tag was set or moved last; undefined while there is none. */
  readonly pushedAt?: Date;
};

export type TagsAsked = {
  readonly text: string;
  /** Whether tags that clients made for what belongs to a digest are in. */
  readonly withAttached: boolean;
  readonly from: number;
  readonly size: number;
};

export type TagPage = {
  readonly total: number;
  readonly lines: readonly TagLine[];
};

export type TagLine = ManifestLine & {
  readonly tag: string;
  readonly pushedAt: Date;
  readonly pulledAt?: Date;
  /** A client's own tag, for what belongs to another digest. */
  readonly isAttached: boolean;
};

/** A manifest in a list. */
export type ManifestLine = {
  readonly digest: Digest;
  readonly mediaType: string;
  /** Bytes of the manifest. */
  readonly size: number;
  readonly artifactType?: string;
  /** Undefined for a manifest so large that nobody adds it up. */
  readonly content?: {
    /** Bytes of config and layers, each digest once. */
    readonly size: number;
    /** How many manifests it lists. */
    readonly children: number;
  };
};

/** A manifest, and what is around it. */
export interface ManifestDetails {
  /** By tag or digest. */
  manifest(repository: RepositoryName, reference: string): Promise<ShownManifest | undefined>;
  /** Those of the digests that are there; in no order. */
  children(
    repository: RepositoryName,
    digests: readonly Digest[],
  ): Promise<readonly ManifestLine[]>;
  /** Indexes that list it. */
  parents(
    repository: RepositoryName,
    digest: Digest,
    limit: number,
  ): Promise<readonly ManifestLine[]>;
  /** What has it for a subject, or lies under a tag made from its digest; newest first. */
  attached(repository: RepositoryName, digest: Digest, limit: number): Promise<Attached>;
  /** Live, and linked by this repository. */
  blob(repository: RepositoryName, digest: Digest): Promise<StoredBlob | undefined>;
}

export type ShownManifest = StoredManifest & {
  readonly pushedAt: Date;
  /** When the tag it was asked by was last pulled by its name. */
  readonly pulledAt?: Date;
  /** The first of the tags that people gave it, by name. */
  readonly tags: readonly string[];
  readonly tagCount: number;
};

export type Attached = {
  readonly total: number;
  readonly manifests: readonly AttachedManifest[];
};

export type AttachedManifest = ManifestLine & {
  readonly pushedAt: Date;
  /** The tag made from the subject's digest, where that is how it is attached. */
  readonly tag?: string;
  /** JSON text. */
  readonly annotations?: string;
};
