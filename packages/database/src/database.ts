import type { Caller, Protocol } from "@sealhouse/request-types";
import type { AuditLog, NewEvent, Outbox } from "@sealhouse/events";
import type { DocumentStore } from "@sealhouse/http-responses";
import type {
  LoginSessions,
  RefreshTokenStore,
  TokenAdministration,
  TokenLookup,
  TokenUse,
} from "@sealhouse/identity";
import type { Leases } from "@sealhouse/jobs";
import type {
  NpmAdvisories,
  NpmAdvisoryRecorder,
  NpmAttestations,
  NpmDependents,
  NpmHistory,
  NpmLifecycle,
  NpmLookup,
  NpmOwners,
  NpmRecorder,
  NpmSearch,
  NpmSigningKeys,
  NpmStaging,
  StagedExpiry,
  TrustedPublishers,
  UnsignedVersions,
} from "@sealhouse/npm-protocol";
import type {
  AdvisoryLookup,
  AdvisoryRecorder,
  CatalogLog,
  CatalogWriter,
  CertificateList,
  DependentsLookup,
  DigestKeeper,
  PackageLifecycle,
  PackageLookup,
  PackageRecorder,
  PackageSearch,
  PackageTotals,
  ProvenanceLookup,
  RetentionPackages,
  Seal,
  SymbolCatalog,
} from "@sealhouse/nuget-protocol";
import type {
  BlobCatalog,
  GarbageCatalog,
  Holds,
  ImmutableTags,
  ManifestCatalog,
  ManifestDetails,
  ManifestRecords,
  RepositoryListing,
  TagRetention,
  IdleUploads,
  UploadCatalog,
} from "@sealhouse/oci-distribution";
import type { BlobRecords } from "@sealhouse/storage-providers";
import type { CertificateLedger, SealKeeper } from "@sealhouse/repo-signing";
import type { BlobIndex } from "./blobs/blob-index.ts";
import type { BlobRegister } from "./blobs/blob-register.ts";
import type { SmallBlobs } from "./blobs/small-blobs.ts";
import type { Downloads } from "./downloads.ts";
import type { LatestPackage } from "./latest-packages.ts";
import type { HoldList } from "./oci/gc/holds.ts";
import type { PackageIds } from "./nuget/package-ids.ts";
import type { SealedFile } from "./signing/replace-seal.ts";
import type { Retirement } from "./signing/retire-certificate.ts";
import type { SealedVersions } from "./signing/sealed-versions.ts";
import type { PublisherTokens } from "./trust/publisher-tokens.ts";

export type DatabaseOptions = {
  /** The clock of everything that is written; default: the machine's. */
  readonly now?: () => Date;
  /** Whether an outdated schema is migrated or refused; default true. */
  readonly migrate?: boolean;
  /** How old the clock of an OCI blob or manifest gets before a positive answer renews it (rule
   * R1): an eighth of the collector's minimum age. Default 3 hours. */
  readonly clockThresholdMs?: number;
  /** Tags of container images that no change may move or delete; default: none. */
  readonly immutableTags?: ImmutableTags;
  /** What the operator said about `allRepositorySigned`; default false. */
  readonly advertiseAllRepositorySigned?: boolean;
  /** Memory for documents that were read last; default 16 MiB. */
  readonly documentCacheBytes?: number;
};

/** The database as everybody's ports. */
export interface Database extends AsyncDisposable {
  readonly documents: DocumentStore;
  readonly nuget: {
    readonly lookup: PackageLookup;
    readonly recorder: PackageRecorder;
    readonly lifecycle: PackageLifecycle;
    readonly search: PackageSearch & DependentsLookup;
    readonly symbols: SymbolCatalog;
    readonly advisories: AdvisoryLookup & AdvisoryRecorder;
    readonly catalog: CatalogLog & CatalogWriter;
    readonly retention: RetentionPackages;
    readonly totals: PackageTotals;
    readonly ids: PackageIds;
    readonly certificates: CertificateList;
    readonly provenance: ProvenanceLookup;
    readonly digests: DigestKeeper;
    readonly seals: SealKeeper<Seal> & SealReplacer & SealedVersions;
  };
  readonly npm: {
    readonly lookup: NpmLookup;
    readonly recorder: NpmRecorder;
    readonly lifecycle: NpmLifecycle;
    readonly owners: NpmOwners;
    readonly dependents: NpmDependents;
    readonly history: NpmHistory;
    readonly search: NpmSearch;
    readonly signingKeys: NpmSigningKeys;
    readonly attestations: NpmAttestations;
    readonly advisories: NpmAdvisories & NpmAdvisoryRecorder;
    readonly unsigned: UnsignedVersions;
    readonly trustedPublishers: TrustedPublishers & PublisherTokens;
    readonly staging: NpmStaging & StagedExpiry;
  };
  readonly oci: {
    readonly blobs: BlobCatalog;
    readonly manifests: ManifestCatalog;
    readonly uploads: UploadCatalog & IdleUploads;
    readonly garbage: GarbageCatalog;
    readonly holds: Holds & HoldList;
    readonly tags: TagRetention;
    /** What people are shown. */
    readonly browsing: RepositoryListing & ManifestDetails;
    readonly records: ManifestRecords;
  };
  readonly tokens: TokenLookup & TokenAdministration & TokenUse;
  readonly refreshTokens: RefreshTokenStore;
  readonly loginSessions: LoginSessions;
  readonly certificates: CertificateLedger & CertificateRetirement;
  readonly events: DatabaseEvents;
  readonly blobs: BlobIndex;
  readonly smallBlobs: SmallBlobs;
  /** What storage is told of lost objects. */
  blobRegister(protocol: Protocol): BlobRegister;
  /** What a check of the storage reads and writes; its events name the caller. */
  blobRecords(protocol: Protocol, caller: Caller): BlobRecords;
  readonly downloads: Downloads;
  readonly leases: Leases;
  /** What was published last, of all protocols together, newest first. */
  latestPackages(limit: number): Promise<readonly LatestPackage[]>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
}

/** Signing again what is signed already. */
export interface SealReplacer {
  /** Puts a signature in the place of the one seen, which becomes history, with its
   * `package.signed` event. `changed`: the version has gone, or has other bytes or another
   * signature by now, and nothing happens.
   * @throws RetiredCertificateError */
  replace(
    named: SealedFile,
    change: { readonly seen: Seal; readonly seal: Seal },
  ): Promise<"replaced" | "changed">;
}

export interface CertificateRetirement {
  /** Withdraws a certificate that vouches for no version, with its `certificate.retired` event. No
   * signature of it is kept from then on. */
  retire(fingerprint: string, by: Caller): Promise<Retirement>;
}

export interface DatabaseEvents {
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  /** Writes events that have no row of their own, all or none.
   * @throws SecretInEventError */
  record(events: readonly NewEvent[]): Promise<void>;
  /** Calls the listener after each commit of this process that wrote an event; gives the way to
   * stop it. Other instances' events are found by asking the outbox now and then. */
  onCommitted(listener: () => void): () => void;
}
