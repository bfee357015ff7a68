import type { Caller, Protocol } from "@sealhouse/request-types";
import type {
  AuditLog,
  DeliveryLog,
  DeliveryQueue,
  MailLog,
  MailQueue,
  MailReceivers,
  Outbox,
  ParkedEvents,
  ParkedList,
  RefusalLog,
  TokenNotices,
  ShownEvent,
  WebhookRows,
} from "@sealhouse/events";
import type { DocumentStore, IdempotentAnswers } from "@sealhouse/http-responses";
import type {
  ConfirmationStore,
  KnownOrganization,
  LoginSessions,
  NameVisibilities,
  MembershipChecks,
  OwnableName,
  Ownerships,
  PasskeyChallenges,
  Passkeys,
  People,
  PeoplePages,
  Policies,
  RefreshTokenStore,
  Reservations,
  ServiceAccounts,
  Sessions,
  SignInFailures,
  Teams,
  TokenAdministration,
  TokenLeaks,
  TokenLists,
  TokenLookup,
  TokenUse,
  Transfers,
  UnownedNames,
  UserDetails,
} from "@sealhouse/identity";
import type { ActionJobs, Leases } from "@sealhouse/jobs";
import type {
  NpmAdvisories,
  NpmAdvisoryRecorder,
  NpmAttestations,
  NpmDependents,
  NpmHistory,
  NpmLifecycle,
  NpmLookup,
  NpmOwners,
  NpmPast,
  NpmRecorder,
  NpmSearch,
  NpmSigningKeys,
  NpmStaging,
  NpmTeams,
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
  PackagePast,
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
  ManifestCatalog,
  ManifestDetails,
  ManifestRecords,
  RepositoryListing,
  TagPast,
  TagRetention,
  IdleUploads,
  OpenUploads,
  UploadCatalog,
} from "@sealhouse/oci-distribution";
import type {
  CompletedImages,
  GroupRows,
  HeldContents,
  LentKeyRows,
  ReleaseControl,
  ReleaseLanes,
  ReleaseRows,
  StatementRows,
  SyndicationRows,
  TargetRows,
} from "@sealhouse/promotion";
import type { BlobRecords } from "@sealhouse/storage-providers";
import type { CertificateLedger, SealKeeper } from "@sealhouse/repo-signing";
import type {
  FirstSeen,
  KeptDocuments,
  NameOrigins,
  PolicyRules,
  SourceRows,
  SourceStates,
} from "@sealhouse/upstream-sources";
import type { MirroredCount } from "./upstream/mirrored-counts.ts";
import type { UpstreamCertificates } from "./upstream/upstream-certificates.ts";
import type { BlobIndex } from "./blobs/blob-index.ts";
import type { BlobRegister } from "./blobs/blob-register.ts";
import type { SmallBlobs } from "./blobs/small-blobs.ts";
import type { Downloads } from "./downloads.ts";
import type { HiddenByProtocol, LatestPackage } from "./latest-packages.ts";
import type { FutureTimes } from "./future-times/future-times.ts";
import type { History } from "./history/history-log.ts";
import type { HoldList } from "./oci/gc/holds.ts";
import type { ForgetRepository } from "./oci/forget-repository.ts";
import type { MirroredLookup } from "./oci/mirrored-lookup.ts";
import type { PackageIds } from "./nuget/statements/package-ids.ts";
import type { PackageProtocol } from "./present-names.ts";
import type { SealedFile } from "./signing/replace-seal.ts";
import type { Retirement } from "./signing/retire-certificate.ts";
import type { SealedVersions } from "./signing/sealed-versions.ts";

/** An open database, with the ports of all packages. */
export interface Database extends AsyncDisposable {
  readonly documents: DocumentStore;
  /** Documents of views as of a time, in memory. */
  readonly viewDocuments: DocumentStore;
  readonly nuget: {
    readonly lookup: PackageLookup;
    readonly past: PackagePast;
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
    readonly past: NpmPast;
    readonly recorder: NpmRecorder;
    readonly lifecycle: NpmLifecycle;
    readonly owners: NpmOwners;
    readonly teams: NpmTeams;
    readonly dependents: NpmDependents;
    readonly history: NpmHistory;
    readonly search: NpmSearch;
    /**
     * Adds the search entries that packages with a larger id than `after` lack, because an older
     * instance published them. Returns the last id, from which the next run continues.
     */
    readonly fillSearch: (after: number, signal: AbortSignal) => Promise<number>;
    readonly signingKeys: NpmSigningKeys;
    readonly attestations: NpmAttestations;
    readonly advisories: NpmAdvisories & NpmAdvisoryRecorder;
    readonly unsigned: UnsignedVersions;
    readonly trustedPublishers: TrustedPublishers;
    readonly staging: NpmStaging & StagedExpiry;
  };
  readonly oci: {
    readonly blobs: BlobCatalog;
    readonly manifests: ManifestCatalog;
    readonly past: TagPast;
    /** The same for repositories that are mirrored, which pushes do not change. */
    readonly mirrored: {
      readonly blobs: BlobCatalog;
      readonly manifests: Pick<ManifestCatalog, "record">;
      readonly lookup: MirroredLookup;
    };
    readonly uploads: UploadCatalog & OpenUploads & IdleUploads;
    readonly garbage: GarbageCatalog;
    readonly holds: Holds & HoldList;
    readonly tags: TagRetention;
    /** Lookups for web pages. */
    readonly browsing: RepositoryListing & ManifestDetails;
    readonly records: ManifestRecords;
    /** Removes the rows of a repository without manifests. */
    readonly forget: ForgetRepository;
  };
  readonly tokens: TokenLookup & TokenAdministration & TokenLists & TokenLeaks & TokenUse;
  readonly passkeys: Passkeys & { readonly challenges: PasskeyChallenges };
  readonly tokenNotices: TokenNotices;
  readonly mailReceivers: MailReceivers;
  readonly people: People & PeoplePages;
  readonly userDetails: UserDetails;
  readonly membershipChecks: MembershipChecks;
  readonly knownOrganization: KnownOrganization;
  readonly teams: Teams;
  readonly serviceAccounts: ServiceAccounts;
  readonly refreshTokens: RefreshTokenStore;
  readonly loginSessions: LoginSessions;
  /** Browsers that are signed in, and those that are at the identity provider. */
  readonly sessions: Sessions & { readonly confirmations: ConfirmationStore };
  readonly signInFailures: SignInFailures;
  readonly policies: Policies;
  /** Rights on names. */
  readonly ownership: {
    readonly ownerships: Ownerships;
    readonly unowned: UnownedNames;
    readonly reservations: Reservations;
    readonly transfers: Transfers;
    /** Handles of the owners that publish a name. Of a name without owners: the owner that it
     * gets when the user, service account or publish policy publishes it. */
    readonly publishers: (name: OwnableName, holderId?: string) => Promise<readonly string[]>;
  };
  readonly visibilities: NameVisibilities;
  readonly certificates: CertificateLedger & CertificateRetirement;
  readonly events: DatabaseEvents;
  readonly blobs: BlobIndex;
  readonly smallBlobs: SmallBlobs;
  /** Register of lost objects for the storage. */
  blobRegister(protocol: Protocol): BlobRegister;
  /** Rows for a storage check; their events name the caller. */
  blobRecords(protocol: Protocol, caller: Caller): BlobRecords;
  readonly downloads: Downloads;
  readonly leases: Leases;
  /** Rows of the API of administrators. */
  readonly administration: {
    readonly answers: IdempotentAnswers;
    readonly jobs: ActionJobs;
  };
  readonly history: History;
  readonly futureTimes: FutureTimes;
  /** Rows of package sources, and of their documents. */
  readonly promotion: {
    readonly targets: TargetRows;
    readonly groups: GroupRows;
    readonly syndications: SyndicationRows;
    readonly releases: ReleaseRows;
    readonly control: ReleaseControl;
    readonly lanes: ReleaseLanes;
    readonly held: HeldContents;
    readonly statements: StatementRows;
    readonly lentKeys: LentKeyRows;
    /** Manifests that are complete at an endpoint. */
    readonly completed: (endpoint: string) => CompletedImages;
  };
  readonly upstream: {
    readonly sources: SourceRows;
    readonly states: SourceStates;
    readonly origins: NameOrigins;
    readonly documents: KeptDocuments;
    readonly certificates: UpstreamCertificates;
    readonly rules: PolicyRules;
    readonly firstSeen: FirstSeen;
    /** Counts the names that were found at a source, and their versions (images: tags) here. */
    mirroredFrom(source: {
      readonly protocol: Protocol;
      readonly source: string;
    }): Promise<MirroredCount>;
  };
  /** Returns the id of the registry, a UUID. The first call of all instances creates it. */
  registryId(): Promise<string>;
  /** Returns the most recently published packages of all protocols, newest first. */
  latestPackages(limit: number, hidden?: HiddenByProtocol): Promise<readonly LatestPackage[]>;
  /** Returns those of the names that have a version here. NuGet: lower-cased ids. */
  presentNames(protocol: PackageProtocol, names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /**
   * Rejects when the database takes no row: it is full, read-only or locked. It writes and deletes
   * one at most every 30 seconds, or every five after a failure; callers between share the result.
   * It also rejects for 30 seconds after a transaction that found the database full.
   */
  checkWrites(): Promise<void>;
}

/** Replaces the signatures of already signed packages. */
export interface SealReplacer {
  /**
   * Replaces the given signature, which is kept in the history, with its `package.signed` event.
   * `changed`: the version was deleted, or has other bytes or another signature, and nothing
   * changed.
   *
   * @throws RetiredCertificateError
   */
  replace(
    file: SealedFile,
    change: { readonly seen: Seal; readonly seal: Seal },
  ): Promise<"replaced" | "changed">;
}

/** Retires signing certificates. */
export interface CertificateRetirement {
  /**
   * Retires a certificate that no version uses, with its `certificate.retired` event. From then on,
   * the database rejects signatures with it.
   */
  retire(fingerprint: string, by: Caller): Promise<Retirement>;
}

/** Outbox and audit log of a database. */
export interface DatabaseEvents extends RefusalLog {
  readonly outbox: Outbox;
  /** Events that consumers could not take. */
  readonly parked: ParkedEvents & ParkedList;
  readonly audit: AuditLog;
  readonly webhooks: WebhookRows;
  readonly deliveries: DeliveryQueue & DeliveryLog;
  readonly mails: MailQueue & MailLog;
  /**
   * Writes events of changes without rows, atomically.
   *
   * @throws SecretInEventError
   */
  record(events: readonly ShownEvent[]): Promise<void>;
  /**
   * Calls the listener after each commit of this process that wrote an event. Returns a function
   * that removes the listener. Poll the outbox for events of other instances.
   */
  onCommitted(listener: () => void): () => void;
}
