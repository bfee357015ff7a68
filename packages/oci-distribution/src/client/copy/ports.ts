import type { CallOptions } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../../digest.ts";
import type { ContentDescriptor } from "../client.ts";

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
  manifest(reference: string, options: CallOptions): Promise<SourceManifest | undefined>;
  /** Fails, at its last step at the latest, when the bytes are not those of the descriptor. */
  blob(
    descriptor: { readonly digest: Digest; readonly size: number },
    options: CallOptions,
  ): Promise<SourceBlob | undefined>;
  referrers(subject: Digest, options: CallOptions): Promise<readonly ContentDescriptor[]>;
  tags(options: CallOptions): AsyncIterable<string>;
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
  findManifest(reference: string, options: CallOptions): Promise<Digest | undefined>;
  /** Its size in bytes. */
  findBlob(digest: Digest, options: CallOptions): Promise<number | undefined>;
  /** False when it must be uploaded. */
  mount(digest: Digest, from: string, options: CallOptions): Promise<boolean>;
  /** `read` may be called again, to start again. */
  putBlob(
    blob: {
      readonly digest: Digest;
      readonly size: number;
      read(): AsyncIterable<Uint8Array>;
    },
    options: CallOptions,
  ): Promise<void>;
  /** Everything it needs is there. A target that keeps no referrers itself lists it for those who
   * look for them. */
  putManifest(manifest: SourceManifest, options: CallOptions): Promise<void>;
  putTag(tag: string, manifest: SourceManifest, options: CallOptions): Promise<void>;
}
