import type {
  Caller,
  ImageVerdict,
  PublicAddressOf,
  RequestAddress,
} from "@sealhouse/request-types";
import type { ByteRange, ByteSource } from "@sealhouse/http-responses";
import type { Digest } from "./digest.ts";
import type { RepositoryName } from "./repository-name.ts";

/** What the registry must be able to ask of the outside. The host, or `./testing`, answers. */
export type OciPorts = {
  readonly blobs: BlobCatalog;
  readonly manifests: ManifestCatalog;
  readonly uploads: UploadCatalog;
  readonly files: BlobFiles;
  readonly authorize: Authorize;
  readonly tokens: TokenService;
  readonly address: PublicAddressOf<OciAddress>;
  /** Called after a push that set a tag, or a started pull; must not throw. */
  readonly count: (what: "push" | "pull", repository: RepositoryName) => void;
};

export type Action = "pull" | "push" | "delete";

export type OciVerdict = ImageVerdict<RepositoryName>;

/** `segment`: the request came by a host name of that segment's own, and `base` is that. */
export type OciAddress = RequestAddress & { readonly segment?: string };

/** No `repository`: the ping. `*`: the catalog, whose rows are then asked of `mayPull`. */
export type Authorize = (
  request: Request,
  env: unknown,
  wanted: { readonly action: Action; readonly repository?: RepositoryName | "*" },
) => Promise<OciVerdict>;

/** `GET`/`POST /token`: what was asked for, cut down to what the identity may do. A token lives
 * for 60 seconds at least: docker keeps using a shorter one after its end. */
export interface TokenService {
  issue(asked: TokenRequest): Promise<TokenOutcome>;
}

export type TokenRequest = {
  readonly request: Request;
  readonly env: unknown;
  readonly grant:
    | { readonly type: "header" }
    | { readonly type: "password"; readonly username: string; readonly password: string }
    | { readonly type: "refresh_token"; readonly refreshToken: string };
  readonly scopes: readonly TokenScope[];
  /** The client wants a refresh token, too. */
  readonly offline: boolean;
  /** What the client calls itself; empty when it does not say. */
  readonly client: string;
};

export type TokenScope = {
  readonly type: string;
  readonly name: string;
  readonly actions: readonly string[];
};

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

export type StoredBlob = { readonly key: string; readonly size: number };
/** As `StagedBlob.keep` gives it. */
export type KeptBlob = StoredBlob & {
  /** All of them, when they are so few that the catalog keeps them beside the name: then nothing is
   * stored yet. */
  readonly bytes?: Uint8Array | undefined;
};
export type NewBlob = KeptBlob & { readonly digest: Digest };

/** Rules R1, R2, R7 and R14 of the collector hold here: every positive answer touches the blob's
 * clock in the same statement, and nothing remembers existence outside the database. */
export interface BlobCatalog {
  /** Only through a link of this repository, never by digest alone. */
  find(repository: RepositoryName, digest: Digest): Promise<StoredBlob | undefined>;
  /** Whether any repository links a whole blob with this digest. Nobody may be told: what is not
   * linked here has to be brought, or mounted. */
  isKnown(digest: Digest): Promise<boolean>;
  /** Names the bytes, with those of a small blob in the same change, and links them. `surplus`:
   * the digest already has a live object under another key, so the caller's bytes are not needed.
   * Linking the key that is live is never surplus. Like every change with a caller, it rejects with
   * `TokenEndedError` and changes nothing when the caller's token has ended meanwhile. */
  link(
    repository: RepositoryName,
    blob: NewBlob,
    caller?: Caller,
  ): Promise<{ readonly surplus: boolean }>;
  /** Links a live blob of another repository; false when it cannot be mounted for any reason. */
  mount(repository: RepositoryName, digest: Digest, from: MountSource): Promise<boolean>;
  /** Takes away this repository's link only. `held`: somebody needs the digest for now. */
  unlink(
    repository: RepositoryName,
    digest: Digest,
    caller?: Caller,
  ): Promise<"unlinked" | "absent" | "referenced" | "held">;
}

/** Undefined `repository`: any that links the blob and that the caller may pull from. */
export type MountSource = {
  readonly repository?: RepositoryName;
  mayPull(repository: RepositoryName): boolean;
  readonly caller?: Caller | undefined;
};

export type StoredManifest = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** `layer` and `config` point at blobs, `child` at a manifest (or, in build caches, a blob), and
 * `foreign` at a non-distributable layer that may be absent for ever. No digest comes twice with
 * the same kind; one digest may come as `config` and as `layer`. */
export type ManifestEdge = {
  readonly digest: Digest;
  readonly size: number;
  readonly kind: "config" | "layer" | "foreign" | "child";
};

export type NewManifest = StoredManifest & {
  readonly repository: RepositoryName;
  readonly edges: readonly ManifestEdge[];
  readonly subject?: Digest;
  readonly artifactType?: string;
  /** JSON text of the annotations, as pushed. */
  readonly annotations?: string;
  readonly tags: readonly string[];
};

/** Each change, its event and its edges are one transaction. */
export interface ManifestCatalog {
  /** A tag or a digest. `whole`: a manifest that names a damaged blob, itself or through a manifest
   * of an index, is absent, so that whoever asks before a push brings everything again. */
  find(
    repository: RepositoryName,
    reference: string,
    options?: { readonly whole?: boolean },
  ): Promise<StoredManifest | undefined>;
  record(
    manifest: NewManifest,
    caller: Caller,
  ): Promise<
    | { readonly status: "recorded" | "unchanged" }
    | { readonly status: "missing"; readonly digests: readonly Digest[] }
    | { readonly status: "size-mismatch"; readonly digest: Digest }
    /** Indexes nest more than `MAX_INDEX_DEPTH` deep. */
    | { readonly status: "too-deep" }
    | ImmutableTag
  >;
  deleteTag(
    repository: RepositoryName,
    tag: string,
    caller: Caller,
  ): Promise<"deleted" | "absent" | ImmutableTag>;
  /** `held`: somebody needs the digest for now. */
  deleteManifest(
    repository: RepositoryName,
    digest: Digest,
    caller: Caller,
  ): Promise<"deleted" | "absent" | "held" | ImmutableTag>;
  /** Sorted by code unit; undefined when the repository does not exist. */
  tags(repository: RepositoryName, page: Page): Promise<readonly string[] | undefined>;
  repositories(page: Page): Promise<readonly RepositoryName[]>;
  /** One page, in the order of arrival. */
  referrers(
    repository: RepositoryName,
    subject: Digest,
    query: ReferrerQuery,
  ): Promise<ReferrerPage>;
}

/** Nothing was changed, because a tag has to stay where it is. */
export type ImmutableTag = {
  readonly status: "immutable";
  readonly tag: string;
  /** The name of the rule that says so. */
  readonly rule: string;
};

/** Up to `limit` entries that sort after `after`. */
export type Page = { readonly limit: number; readonly after?: string };

export type ReferrerQuery = {
  /** Only referrers of exactly this type. */
  readonly artifactType?: string;
  /** `next` of the page before. */
  readonly after?: number;
  /** At least 1. */
  readonly limit: number;
  /** The `referrerWeight` of a page stays below this, unless its only referrer has more. */
  readonly maxBytes: number;
};

export type ReferrerPage = {
  /** Can be iterated once. Reads small batches while it is iterated: the whole page is never in
   * memory. A referrer that is deleted before its batch is read is left out. */
  readonly referrers: AsyncIterable<Referrer>;
  /** Where the next page begins; undefined when this page is the last one. */
  readonly next?: number;
};

export type Referrer = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly size: number;
  readonly artifactType?: string;
  /** JSON text. */
  readonly annotations?: string;
};

/** `id` is a UUID. */
export type UploadSession = {
  readonly id: string;
  readonly repository: RepositoryName;
  /** Token id, else the actor: a foreign session does not exist. */
  readonly owner: string;
  /** Bytes received and durable. */
  readonly offset: number;
  /** What the client said it will close with, when that is not SHA-256: hashed on the way. */
  readonly algorithm?: "sha512";
  /** All that was received, while that is little: it is kept with the session. */
  readonly bytes?: Uint8Array;
  /** Nothing of it is stored yet. */
  readonly isNew?: true;
};

/** Upload sessions with bytes are rows: they survive a restart and continue on another instance.
 * Bytes are added only while the session's owner is a token that is good, or no token at all;
 * otherwise `create` with bytes and `advance` reject with `TokenEndedError`. */
export interface UploadCatalog {
  /** Adds a session, with the single writer's place taken for `leaseMs` when `claim` is given.
   * False when there is one of that id. */
  create(
    session: UploadSession,
    claim?: { readonly writer: string; readonly leaseMs: number },
  ): Promise<boolean>;
  /** `idleSince`: a session that was neither created, claimed nor advanced since does not exist. */
  find(id: string, idleSince?: Date): Promise<UploadSession | undefined>;
  /** Takes the single writer's place for `leaseMs`, or keeps it that long from now when `writer`
   * has it already. False when another request has it, or there is no such session. */
  claim(id: string, writer: string, leaseMs: number): Promise<boolean>;
  /** Moves the offset while `writer` still holds the claim, and leaves the place with `last`; false
   * when it lost it. All bytes up to there are files from then on. */
  advance(
    id: string,
    writer: string,
    offset: number,
    options?: { readonly last?: boolean },
  ): Promise<boolean>;
  release(id: string, writer: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes a session that nobody holds and that still stands at `offset`: for whoever has the
   * whole blob. False when there is no such session, or not any more. */
  take(id: string, offset: number): Promise<boolean>;
}

/** What removes abandoned upload sessions. */
export interface IdleUploads {
  /** Removes up to `limit` sessions that nobody holds and that were neither created, claimed nor
   * advanced since `idleSince`. Resolves to their ids; their bytes are the caller's to drop. */
  expire(idleSince: Date, limit: number): Promise<readonly string[]>;
}

/** Bytes on their way in and out. Met by the blob store of storage-providers. */
export interface BlobFiles {
  stage(
    body: AsyncIterable<Uint8Array>,
    options: {
      readonly hashes: readonly ("sha256" | "sha512")[];
      readonly maxBytes?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<StagedBlob>;
  /** Adds a part, whole or not at all: a body that breaks off leaves the bytes before `offset`. */
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
  /** All parts together; they are gone afterwards. */
  assemble(
    id: string,
    size: number,
    options: { readonly hashes: readonly ("sha256" | "sha512")[] },
  ): Promise<StagedBlob>;
  drop(id: string): Promise<void>;
  open(blob: StoredBlob): ByteSource;
  /** Whether the bytes can be read. A loss is marked: the catalog then calls the blob absent. */
  isPresent(blob: StoredBlob): Promise<boolean>;
}

export interface StagedBlob extends AsyncDisposable {
  readonly size: number;
  /** Lower-case hex. */
  readonly digests: Readonly<{ sha256: string; sha512?: string }>;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Makes an object of it, but for small ones; asked again, it is the same one. */
  keep(): Promise<KeptBlob & { discard(): Promise<void> }>;
}
