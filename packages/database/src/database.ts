import type { AuditLog, NewEvent, Outbox } from "@sealhouse/events";
import type { DocumentStore } from "@sealhouse/http-responses";
import type { TokenAdministration, TokenLookup, TokenUse } from "@sealhouse/identity";
import type { NpmLookup, NpmRecorder, NpmSearch } from "@sealhouse/npm-protocol";
import type {
  AdvisoryLookup,
  AdvisoryRecorder,
  CatalogLog,
  CatalogSource,
  CatalogWriter,
  CertificateList,
  DependentsLookup,
  PackageLifecycle,
  PackageLookup,
  PackageRecorder,
  PackageSearch,
  RetentionPackages,
  Seal,
  SymbolCatalog,
} from "@sealhouse/nuget-protocol";
import type { BlobCatalog, ManifestCatalog, UploadCatalog } from "@sealhouse/oci-distribution";
import type { CertificateLedger, SealKeeper } from "@sealhouse/repo-signing";
import type { BlobIndex } from "./blobs/blob-index.ts";
import type { Downloads } from "./downloads.ts";
import type { LatestPackage } from "./latest-packages.ts";
import type { Leases } from "./leases.ts";
import type { PackageIds } from "./nuget/package-ids.ts";

export type DatabaseOptions = {
  /** The clock of everything that is written; default: the machine's. */
  readonly now?: () => Date;
  /** Whether an outdated schema is migrated or refused; default true. */
  readonly migrate?: boolean;
  /** How old the clock of an OCI blob or manifest gets before a positive answer renews it (rule
   * R1): an eighth of the collector's minimum age. Default 3 hours. */
  readonly clockThresholdMs?: number;
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
    readonly catalog: CatalogLog & CatalogWriter & CatalogSource;
    readonly retention: RetentionPackages;
    readonly ids: PackageIds;
    readonly certificates: CertificateList;
    readonly seals: SealKeeper<Seal>;
  };
  readonly npm: {
    readonly lookup: NpmLookup;
    readonly recorder: NpmRecorder;
    readonly search: NpmSearch;
  };
  readonly oci: {
    readonly blobs: BlobCatalog;
    readonly manifests: ManifestCatalog;
    readonly uploads: UploadCatalog;
  };
  readonly tokens: TokenLookup & TokenAdministration & TokenUse;
  readonly certificates: CertificateLedger;
  readonly events: DatabaseEvents;
  readonly blobs: BlobIndex;
  readonly downloads: Downloads;
  readonly leases: Leases;
  /** What was published last, of all protocols together, newest first. */
  latestPackages(limit: number): Promise<readonly LatestPackage[]>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
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
