import type {
  Caller,
  ImageVerdict,
  PublicAddressOf,
  RequestAddress,
} from "@sealhouse/request-types";
import type { ByteRange, ByteSource } from "@sealhouse/http-responses";
import type { TagPast } from "./as-of/ports.ts";
import type { Digest } from "./digest.ts";
import type { RepositoryName } from "./repository-name.ts";
import type { ImageSources, StaleContent } from "./upstream/ports.ts";

/** Ports of the OCI app, implemented by the host or by `./testing`. */
export type OciPorts = {
  readonly blobs: BlobCatalog;
  readonly manifests: ManifestCatalog;
  readonly uploads: UploadCatalog & OpenUploads;
  readonly files: BlobFiles;
  readonly authorize: AuthorizeImage;
  readonly tokens: TokenService;
  readonly address: PublicAddressOf<OciAddress>;
  /** Called after a push that set a tag, or a started pull; must not throw. */
  readonly count: (what: "push" | "pull", repository: RepositoryName) => void;
  /** Absent where there are no views as of a time. */
  readonly past?: TagPast;
  /** Default: no repository comes from a source. */
  readonly sources?: ImageSources;
};

/** Access that a request needs to a repository. */
export type Action = "pull" | "push" | "delete";

/** Result of authorizing a request: the caller and its access, or the reason of the refusal. */
export type OciVerdict = ImageVerdict<RepositoryName>;

/** Public address of a request. `segment` is set when the request used a host name of that segment;
 * `base` is then that host. */
export type OciAddress = RequestAddress & { readonly segment?: string };

/** Authorizes a request. Without `repository`: the ping. `*`: the catalog, which then calls
 * `mayPull` for each row. `isContinued`: for a push that has begun, so that the name of a hidden
 * repository is not refused as one of others. */
export type AuthorizeImage = (
  request: Request,
  env: unknown,
  access: {
    readonly action: Action;
    readonly repository?: RepositoryName | "*";
    readonly isContinued?: boolean;
  },
) => Promise<OciVerdict>;

/** Issues tokens for `GET` and `POST /token`. Reduces the requested scopes to those that the
 * identity may use. A token is valid for at least 60 seconds: docker uses a shorter one after it
 * expired. */
export interface TokenService {
  issue(tokenRequest: TokenRequest): Promise<TokenOutcome>;
}

/** A request to the token endpoint (`GET` or `POST /token`). */
export type TokenRequest = {
  readonly request: Request;
  readonly env: unknown;
  readonly grant:
    | { readonly type: "header" }
    | { readonly type: "password"; readonly username: string; readonly password: string }
    | { readonly type: "refresh_token"; readonly refreshToken: string };
  readonly scopes: readonly TokenScope[];
  /** Whether the client also requests a refresh token. */
  readonly offline: boolean;
  /** Name that the client sent; empty if it sent none. */
  readonly client: string;
};

/** One access scope of a token request: resource type, resource name, and actions. */
export type TokenScope = {
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
};

/** Result of a token request: a token, a refusal (401), or a rate limit (429). */
export type TokenOutcome =
  | {
      readonly status: "issued";
      readonly token: string;
      readonly expiresInSeconds: number;
      readonly issuedAt: Date;
      readonly refreshToken?: string;
    }
  | { readonly status: "refused" }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Object key of a blob, and its size in bytes. */
export type StoredBlob = { readonly key: string; readonly size: number };
/** A blob, perhaps one whose bytes are still at its source. */
export type SourcedBlob = StoredBlob & {
  /** Its bytes, while they are not stored here. */
  readonly content?: ByteSource;
};
/** Result of `StagedBlob.keep`. */
export type SavedBlob = StoredBlob & {
  /** All bytes of a small blob, which the catalog stores in its row. The object store then has no
   * object of the blob. */
  readonly bytes?: Uint8Array | undefined;
};
/** A received blob with its digest, to be linked to a repository. */
export type NewBlob = SavedBlob & { readonly digest: Digest };

/** Blobs and their links to repositories. Rules R1, R2, R7 and R14 of the collector apply: every
 * positive answer renews the clock of the blob in the same statement, and no cache outside the
 * database records that a blob exists. */
export interface BlobCatalog {
  /** Finds a blob that this repository links; never by digest alone. `HEAD`: its bytes are not
   * read. */
  find(
    repository: RepositoryName,
    digest: Digest,
    options?: { readonly method?: "HEAD" },
  ): Promise<SourcedBlob | undefined>;
  /** Returns true if any repository links an intact blob with this digest. Do not reveal the result
   * to clients: they must upload or mount a blob that this repository does not link. */
  isKnown(digest: Digest): Promise<boolean>;
  /** Records a blob and links it, in one transaction with the bytes of a small blob. `isDuplicate`:
   * the digest already has a live object under another key, so the caller can delete its copy.
   * Linking the live key is never a duplicate. Rejects with `TokenEndedError`, like every change
   * with a caller, if the token of the caller was revoked or has expired; then nothing changes. */
  link(
    repository: RepositoryName,
    blob: NewBlob,
    caller?: Caller,
  ): Promise<{ readonly isDuplicate: boolean }>;
  /** Links a live blob of another repository. False if it cannot be mounted, for any reason. */
  mount(repository: RepositoryName, digest: Digest, from: MountSource): Promise<boolean>;
  /** Removes only the link of this repository. `held`: a hold protects the digest. */
  unlink(
    repository: RepositoryName,
    digest: Digest,
    caller?: Caller,
  ): Promise<"unlinked" | "absent" | "referenced" | "held">;
}

/** Source of a mount. Without `repository`: any repository that links the blob and that the caller
 * may pull from. */
export type MountSource = {
  readonly repository?: RepositoryName;
  mayPull(repository: RepositoryName): boolean;
  readonly caller?: Caller | undefined;
};

/** A manifest as pushed: its digest, media type and exact bytes. */
export type StoredManifest = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** A reference from a manifest. `layer` and `config` refer to blobs, `child` to a manifest (or, in
 * build caches, a blob). What may be absent is `foreign` (a non-distributable layer, or any blob of
 * a mirrored image) or `sparse` (a child). Each pair of digest and kind is unique; one digest may
 * be both `config` and `layer`. */
export type ManifestEdge = {
  readonly digest: Digest;
  readonly size: number;
  readonly kind: "config" | "layer" | "foreign" | "child" | "sparse";
};

/** A manifest to record in a repository, with its edges, subject and tags. */
export type NewManifest = StoredManifest & {
  readonly repository: RepositoryName;
  readonly edges: readonly ManifestEdge[];
  readonly subject?: Digest;
  readonly artifactType?: string;
  /** JSON text of the annotations, as pushed. */
  readonly annotations?: string;
  readonly tags: readonly string[];
  /** Maximum number of tags of the repository with these; absent for imports and mirrors. */
  readonly tagsMax?: number;
};

/** Manifests and tags. Each change, its event and its edges are one transaction. */
export interface ManifestCatalog {
  /** Finds a manifest by tag or digest. With `whole`, a manifest that references a damaged blob,
   * directly or through an index, is absent: a client that checks before a push then uploads the
   * blob again. */
  find(
    repository: RepositoryName,
    reference: string,
    options?: { readonly whole?: boolean },
  ): Promise<(StoredManifest & StaleContent) | undefined>;
  record(
    manifest: NewManifest,
    caller: Caller,
  ): Promise<
    | { readonly status: "recorded" | "unchanged" }
    | { readonly status: "missing"; readonly digests: readonly Digest[] }
    | { readonly status: "size-mismatch"; readonly digest: Digest }
    /** Indexes nest more than `MAX_INDEX_DEPTH` deep. */
    | { readonly status: "too-deep" }
    /** A tag is new, and the repository has `tagsMax` of them. */
    | { readonly status: "tags-full" }
    | ImmutableTag
  >;
  deleteTag(
    repository: RepositoryName,
    tag: string,
    caller: Caller,
  ): Promise<"deleted" | "absent" | ImmutableTag>;
  /** Deletes a manifest and its tags. `held`: a hold protects the digest. */
  deleteManifest(
    repository: RepositoryName,
    digest: Digest,
    caller: Caller,
  ): Promise<"deleted" | "absent" | "held" | ImmutableTag>;
  /** Returns one page of tags in code unit order; undefined if the repository does not exist. */
  tags(repository: RepositoryName, page: Page): Promise<readonly string[] | undefined>;
  repositories(page: Page): Promise<readonly RepositoryName[]>;
  /** Returns one page of referrers, in the order in which they were pushed. */
  referrers(
    repository: RepositoryName,
    subject: Digest,
    query: ReferrerQuery,
  ): Promise<ReferrerPage>;
}

/** Outcome of a change that an immutable tag prevents. */
export type ImmutableTag = {
  readonly status: "immutable";
  readonly tag: string;
  /** Name of the rule that makes the tag immutable. */
  readonly rule: string;
};

/** Position of a page: up to `limit` entries that sort after `after`. */
export type Page = { readonly limit: number; readonly after?: string };

/** Filter and limits for one page of referrers. */
export type ReferrerQuery = {
  /** Only referrers of exactly this type. */
  readonly artifactType?: string;
  /** `next` of the previous page. */
  readonly after?: number;
  /** At least 1. */
  readonly limit: number;
  /** The `referrerWeight` of a page stays below this, unless its only referrer has more. */
  readonly maxBytes: number;
};

/** One page of the referrers of a manifest. */
export type ReferrerPage = StaleContent & {
  /** Can be iterated once. Reads small batches, so that the page is never completely in memory.
   * Omits a referrer that is deleted before its batch is read. */
  readonly referrers: AsyncIterable<Referrer>;
  /** Position of the next page; undefined on the last page. */
  readonly next?: number;
};

/** Descriptor of a manifest whose `subject` is the requested manifest. */
export type Referrer = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly size: number;
  readonly artifactType?: string;
  /** JSON text. */
  readonly annotations?: string;
};

/** An upload session of a blob. `id` is a UUID. */
export type UploadSession = {
  readonly id: string;
  readonly repository: RepositoryName;
  /** Token id, or the actor without a token. Other callers get 404 for the session. */
  readonly owner: string;
  /** Number of received, durable bytes. */
  readonly offset: number;
  /** Algorithm that the client announced for the digest; undefined for SHA-256. Computed while the
   * bytes arrive. */
  readonly algorithm?: "sha512";
  /** All received bytes, if they are few: they are stored in the row of the session. */
  readonly bytes?: Uint8Array;
  /** Whether the session has no row and no bytes yet. */
  readonly isNew?: true;
};

/** Upload sessions. Those with bytes are rows: they survive a restart and can continue on another
 * instance. `create` with bytes and `advance` reject with `TokenEndedError` if the owner of the
 * session is a token that was revoked or has expired. */
export interface UploadCatalog {
  /** Creates a session. With `claim`, also claims it for a writer for `leaseMs`. False if the id
   * exists. */
  create(
    session: UploadSession,
    claim?: { readonly writer: string; readonly leaseMs: number },
  ): Promise<boolean>;
  /** Finds a session. Ignores one that was not created, claimed or advanced since `idleSince`. */
  find(id: string, idleSince?: Date): Promise<UploadSession | undefined>;
  /** Claims the session for one writer for `leaseMs`, or renews the claim of that writer. False if
   * another writer has the claim or the session does not exist. */
  claim(id: string, writer: string, leaseMs: number): Promise<boolean>;
  /** Sets the offset if `writer` still has the claim, and releases the claim with `last`. False if
   * the claim is lost. From then on, all bytes up to the offset are files. */
  advance(
    id: string,
    writer: string,
    offset: number,
    options?: { readonly last?: boolean },
  ): Promise<boolean>;
  release(id: string, writer: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes an unclaimed session that is still at `offset`, for a caller that has the complete
   * blob. False if there is no such session. */
  take(id: string, offset: number): Promise<boolean>;
}

/** Counts upload sessions, for the limit of each owner. */
export interface OpenUploads {
  /** Returns the number of sessions of an owner, without those that were not created, claimed or
   * advanced since `idleSince`. */
  countOpen(owner: string, idleSince?: Date): Promise<number>;
}

/** Removes abandoned upload sessions. */
export interface IdleUploads {
  /** Removes up to `limit` unclaimed sessions that were not created, claimed or advanced since
   * `idleSince`. Resolves to their ids; the caller deletes their bytes. */
  expire(idleSince: Date, limit: number): Promise<readonly string[]>;
}

/** Bytes of blobs and uploads. Implemented by the blob store of storage-providers. */
export interface BlobFiles {
  stage(
    body: AsyncIterable<Uint8Array>,
    options: {
      readonly hashes: readonly ("sha256" | "sha512")[];
      readonly maxBytes?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<StagedBlob>;
  /** Appends a part atomically: if the body ends early, only the bytes before `offset` remain. */
  append(
    id: string,
    offset: number,
    body: AsyncIterable<Uint8Array>,
    options: {
      readonly hashes: readonly ("sha256" | "sha512")[];
      readonly maxBytes?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<number>;
  /** Joins all parts of an upload into one staged blob and deletes the parts. */
  assemble(
    id: string,
    size: number,
    options: { readonly hashes: readonly ("sha256" | "sha512")[] },
  ): Promise<StagedBlob>;
  drop(id: string): Promise<void>;
  open(blob: StoredBlob): ByteSource;
  /** Returns a URL for reading the blob without credentials; undefined when clients must read it
   * here. Without the method, they always do. */
  address?(blob: StoredBlob): Promise<string | undefined>;
  /** Returns true if the bytes can be read. If they are lost, marks the blob as absent. */
  isPresent(blob: StoredBlob): Promise<boolean>;
}

/** Received bytes that are not yet part of the object store. Disposing of it deletes them. */
export interface StagedBlob extends AsyncDisposable {
  readonly size: number;
  /** Lower-case hex. */
  readonly digests: Readonly<{ sha256: string; sha512?: string }>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Stores the bytes as an object, except those of a small blob. Repeated calls return the same
   * object. */
  keep(): Promise<SavedBlob & { discard(): Promise<void> }>;
}
