import type { Digest } from "../../digest.ts";
import type { ContentDescriptor } from "../client.ts";

export type ReadOptions = { readonly signal?: AbortSignal | undefined };

/** Bytes that have the digest they were asked for by. */
export type SourceManifest = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** One repository that content comes from: of a registry, a folder, or this host. */
export interface ImageSource {
  /** For people. */
  readonly label: string;
  /**
   * Repository from which the target may mount; undefined when the source is not a repository of a
   * registry.
   */
  readonly home?: RepositoryHome | undefined;
  /** By tag or digest. */
  manifest(reference: string, options: ReadOptions): Promise<SourceManifest | undefined>;
  /** Fails, at its last step at the latest, when the bytes are not those of the descriptor. */
  blob(
    descriptor: { readonly digest: Digest; readonly size: number },
    options: ReadOptions,
  ): Promise<SourceBlob | undefined>;
  referrers(subject: Digest, options: ReadOptions): Promise<readonly ContentDescriptor[]>;
  tags(options: ReadOptions): AsyncIterable<string>;
}

export type SourceBlob = AsyncDisposable & { readonly body: AsyncIterable<Uint8Array> };

export type RepositoryHome = {
  /** The origin of its registry. */
  readonly registry: string;
  readonly repository: string;
};

/** One repository that content goes to. */
export interface ImageTarget {
  /** For people. */
  readonly label: string;
  readonly home?: RepositoryHome | undefined;
  /** Undefined when it is unknown, too: then the blob is sent. */
  findManifest(reference: string, options: ReadOptions): Promise<Digest | undefined>;
  /** Its size in bytes. */
  findBlob(digest: Digest, options: ReadOptions): Promise<number | undefined>;
  /** False when it must be uploaded. */
  mount(digest: Digest, from: string, options: ReadOptions): Promise<boolean>;
  /** `read` may be called again, to start again. */
  putBlob(
    blob: {
      readonly digest: Digest;
      readonly size: number;
      read(): AsyncIterable<Uint8Array>;
    },
    options: ReadOptions,
  ): Promise<void>;
  /** Everything it needs is there. A target that keeps no referrers itself lists it for those who
   * look for them. */
  putManifest(manifest: SourceManifest, options: ReadOptions): Promise<void>;
  putTag(tag: string, manifest: SourceManifest, options: ReadOptions): Promise<void>;
}
