import type { SigningKeys } from "@sealhouse/administration";
import type { Database, DatabaseConfig } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import type { NpmRecorder, VerifyBundle } from "@sealhouse/npm-protocol";
import type { ImageSources } from "@sealhouse/oci-distribution";
import type { SealingParts } from "@sealhouse/oci-distribution/seal";
import type { OciSealConfig } from "@sealhouse/oci-distribution/settings";
import type { Promotion } from "@sealhouse/promotion";
import type { RemoteKey } from "@sealhouse/repo-signing";
import type { ExtensionConfig, FeedSigning } from "@sealhouse/repo-signing/feed";
import type {
  BlobStore,
  ObjectStore,
  StorageType,
  WatchedBlobStore,
} from "@sealhouse/storage-providers";
import type { StorageConfig } from "@sealhouse/storage-providers/settings";
import type { OutgoingConfig } from "@sealhouse/http-server";
import type { OpenFetch } from "@sealhouse/upstream-sources";
import type { FillPorts } from "@sealhouse/upstream-sources/bundle";

/** Opens the parts of the registry with the settings of the command line. */
export type RegistryParts = {
  openResources(now: () => Date): Promise<RegistryResources>;
  /** Opens what fetches from package sources: the same lookups that requests of clients use. */
  openMirror(now: () => Date): Promise<CommandMirror>;
  openStorage(config: StorageConfig): Promise<ObjectStore>;
  /** Reads the settings of the store that a person names; default: the store of the registry. */
  findStore(name?: string): Promise<NamedStore>;
  /** Opens the key of an extension; undefined: its mode makes certificate requests elsewhere. */
  openExtensionKey(mode: ExtensionConfig): Promise<RemoteKey | undefined>;
  /** Verifies provenance statements with the file of a root of trust. */
  openBundleVerification(trustedRoot: string | undefined): Promise<VerifyBundle>;
  /** Returns the `fetch` of calls to package sources. */
  openFetchForSources(host: Pick<OutgoingConfig, "outgoingProxy">): OpenFetch;
};

/** Bytes, rows and keys of the registry, which a host may use, too. Disposal closes them. */
export type RegistryResources = AsyncDisposable & {
  readonly store: ObjectStore;
  readonly database: Database;
  /** The id of database and storage. */
  readonly registryId: string;
  readonly blobs: {
    readonly nuget: BlobStore;
    readonly npm: BlobStore;
    readonly oci: WatchedBlobStore;
  };
  readonly signing: FeedSigning;
  readonly keyRing: KeyRing;
  readonly npmSignatures: SigningKeys["npmSignatures"] & {
    /** Signs each version before it becomes visible. */
    readonly recorder: NpmRecorder;
  };
  /** Opens the keys that sign images. */
  openSealing(config: OciSealConfig): Promise<SealingParts>;
  /** Opens the publishing to other registries. */
  openPromotion(): Promise<Promotion>;
  readonly rotateKeyRing: SigningKeys["rotateKeyRing"];
};

/** The parts that fetch from package sources. Disposal ends transfers. */
export type CommandMirror = AsyncDisposable & {
  readonly resources: RegistryResources;
  readonly ports: FillPorts;
  readonly images: Pick<ImageSources, "repositoryAt">;
  /** Whether a source may be asked. */
  canFetch(): Promise<boolean>;
  /** Waits for documents that are fetched in the background. */
  settled(): Promise<void>;
};

/** A store with its settings. */
export type NamedStore = {
  readonly config: StorageConfig;
  readonly extensions: readonly {
    readonly storageTypes?: Readonly<Record<string, StorageType>>;
  }[];
  /** Unknown settings. */
  readonly warnings: readonly string[];
  open(): Promise<ObjectStore>;
};

/** The hosts of this installation and this user that run now. */
export type RunningHosts = {
  list(): readonly RunningHost[];
  /** A database as its operator knows it, without its password. */
  placeOf(database: DatabaseConfig): string;
  /** Tells two peppers apart without revealing them. */
  fingerprintOf(pepper: string): string;
  /** The option that makes a command use the settings of a process, where the system has one. */
  settingsOption(pid: number): string | undefined;
};

/** A host in another process. */
export type RunningHost = {
  readonly pid: number;
  readonly workingFolder: string;
  /** Its database, without its password. */
  readonly place: string;
  /** Result of `fingerprintOf`. */
  readonly pepper: string;
};
