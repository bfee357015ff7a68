import type { CallOptions, ClientOptions } from "@sealhouse/http-responses/outgoing";
import type { Digest } from "../digest.ts";
import type { Authentication, Credentials } from "./authenticator.ts";

export type OciClientOptions = ClientOptions & {
  /** `https://registry.example`; a path is ignored. */
  readonly registry: URL;
  /** Sent to the registry's origin, and to the token service that it names, alone. */
  readonly credentials?: Credentials | undefined;
  /** Origins of the token services that get the credentials, besides the registry's own. Others are
   * asked without them. Default: all. */
  readonly tokenRealms?: ReadonlySet<string> | undefined;
};

/** Descriptor of other content in a manifest, an index or a list of referrers. */
export type ContentDescriptor = {
  readonly mediaType: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** Bytes that have been checked against `digest`. */
export type FetchedManifest = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly etag?: string;
};

export type BlobOptions = CallOptions & {
  /** Bytes that it must have, from its descriptor. */
  readonly size?: number;
  /** The caller compares the digest. */
  readonly isVerifiedLater?: boolean;
};

/**
 * A blob in transfer, verified while it is read: the last step fails when the digest differs. Read
 * `body` to its end, leave its loop, or dispose.
 */
export type BlobDownload = AsyncDisposable & {
  /** Bytes, where it is known. */
  readonly size: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
};

/** A blob that can be read more than once, should the upload have to start again. */
export type BlobUpload = {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  read(): AsyncIterable<Uint8Array>;
};

export type ManifestPutOutcome =
  /** `subject`: the registry keeps referrers itself (`OCI-Subject`). */
  | { readonly status: "stored"; readonly subject: boolean }
  /** The manifest differs from `ifMatch`. */
  | { readonly status: "changed" };

/** Digest and size of a manifest. */
export type FoundManifest = {
  readonly digest: Digest;
  readonly size: number | undefined;
  /** Its bytes, where the registry tells the digest only with them. */
  readonly manifest?: FetchedManifest;
};

/**
 * Another registry, or this one from outside. What it does not have is `undefined`. Calls are tried
 * again when they fail in a way that passes, and throw an `OciClientError` in the end.
 */
export type OciClient = {
  readonly registry: URL;
  /** Whether it speaks the protocol and lets the caller in; gives how it wants to be asked. */
  ping(options?: CallOptions): Promise<Authentication>;
  /** The names in its catalog, page by page. @throws {OciClientError} where it has none */
  repositories(options?: CallOptions): AsyncGenerator<string, void, undefined>;
  repository(name: string): RepositoryClient;
};

/** One repository of a registry. A reference is a tag or a digest. */
export type RepositoryClient = {
  readonly name: string;
  findManifest(reference: string, options?: CallOptions): Promise<FoundManifest | undefined>;
  manifest(reference: string, options?: CallOptions): Promise<FetchedManifest | undefined>;
  /** Bytes; undefined when it does not exist, or its size is unknown. */
  findBlob(digest: Digest, options?: CallOptions): Promise<number | undefined>;
  blob(digest: Digest, options?: BlobOptions): Promise<BlobDownload | undefined>;
  /** Undefined when the repository does not exist. */
  tags(options?: CallOptions): AsyncGenerator<string, void, undefined>;
  /** Whether the registry states that a tag cannot move: Azure Container Registry and Harbor do. */
  isImmutable(tag: string, options?: CallOptions): Promise<boolean | undefined>;
  /** From the API; from the index under the fall-back tag where the registry has no such API. */
  referrers(digest: Digest, options?: ReferrerOptions): Promise<readonly ContentDescriptor[]>;
  /** False when it must be uploaded, for whatever reason. */
  mount(digest: Digest, from: string, options?: CallOptions): Promise<boolean>;
  /** Begins an upload and abandons it, which proves the right to push and publishes nothing. */
  tryUpload(options?: CallOptions): Promise<void>;
  /** In one piece; started again from its beginning after a failure. */
  pushBlob(blob: BlobUpload, options?: CallOptions): Promise<void>;
  putManifest(
    reference: string,
    manifest: Pick<FetchedManifest, "bytes" | "mediaType">,
    options?: CallOptions & { readonly ifMatch?: string },
  ): Promise<ManifestPutOutcome>;
  /** False when there was none. */
  deleteManifest(reference: string, options?: CallOptions): Promise<boolean>;
  deleteBlob(digest: Digest, options?: CallOptions): Promise<boolean>;
};

export type ReferrerOptions = CallOptions & { readonly artifactType?: string };
