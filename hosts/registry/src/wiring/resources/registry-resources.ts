import type { Protocol } from "@sealhouse/request-types";
import { randomBytes } from "node:crypto";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { awaitDatabase, openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { lostKeyRing, openKeyRing, placeWarnings } from "@sealhouse/identity";
import type { KeyRing } from "@sealhouse/identity";
import { immutableTags } from "@sealhouse/oci-distribution";
import type {
  BlobStore,
  DerivedCopies,
  ObjectStore,
  WatchedBlobStore,
} from "@sealhouse/storage-providers";
import {
  createBlobStore,
  createDerivedCopies,
  redirectWarnings,
  withLossDetection,
} from "@sealhouse/storage-providers";
import { createNpmSignatures, SIGNED_COPIES } from "@sealhouse/feed";
import type { NpmSignatures } from "@sealhouse/feed";
import type { Extension } from "../../extension.ts";
import type { Log } from "../../log.ts";
import type { Config } from "../../settings/config.ts";
import { clockThresholdMs } from "@sealhouse/oci-distribution/settings";
import { claimStorage } from "@sealhouse/feed";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";
import { openSigning } from "./signing.ts";
import { openStorage } from "./storage.ts";

/**
 * The parts of the registry that commands also use while a host runs: bytes, rows, and the signing
 * key of packages.
 */
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
  /** Copies of signed packages in the store; undefined when the host serves all downloads. */
  readonly signedCopies: DerivedCopies | undefined;
  readonly keyRing: KeyRing;
  readonly npmSignatures: NpmSignatures;
};

export type ResourceOptions = {
  readonly log: Log;
  readonly extensions: readonly Extension[];
  readonly now: () => Date;
  /** Milliseconds to wait for the database; default 0. */
  readonly databaseTimeoutMs?: number;
  readonly stop?: AbortSignal | undefined;
};

/**
 * Bytes up to which a tarball or blob is stored in a row: small packages, configurations of images,
 * signatures. A row costs less than a file with two syncs, and its four pages of SQLite are few
 * compared with the rows of the same commit. NuGet packages are read in parts and stay objects.
 */
const SMALL_BLOB_BYTES = 16 * 1024;

/**
 * Opens storage and database, in this order; nothing of signing is loaded yet.
 *
 * @throws ForeignStorageError
 */
export async function openResources(
  config: Config,
  options: ResourceOptions,
): Promise<RegistryResources> {
  const { log, extensions, now } = options;
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStorage(config.storage, extensions));
  const keyRing = await openKeyRing({ ...config.host.keyRing, random: randomBytes, now });
  const warnings = [
    ...keyRing.warnings,
    ...(await placeWarnings(config)),
    ...(await redirectWarnings(config, store)),
  ];
  for (const warning of warnings) log.warn({}, warning);
  const open = () => openDatabase(config.database, databaseOptions(config, now));
  const { databaseTimeoutMs: timeoutMs = 0, stop } = options;
  const database = opened.use(await awaitDatabase(open, { timeoutMs, log, stop }));
  const registryId = await claimStorage({ storage: config.storage, store, database, log });
  if (keyRing.isNew && (await hasEncrypted(database))) {
    log.warn({}, lostKeyRing(config.host.keyRing.path));
  }
  const signing = opened.use(
    openSigning({ config, extensions, store, keyRing, database, log, now }),
  );
  const small = { bytesMax: SMALL_BLOB_BYTES, ...database.smallBlobs };
  const enabled = config.feed.npm.signatures;
  const watched = (protocol: Protocol, unwatched: BlobStore): WatchedBlobStore =>
    withLossDetection({
      blobs: unwatched,
      store,
      register: database.blobRegister(protocol),
      onLost: (key) => log.error({ key }, "the object of a blob is missing; the blob is damaged"),
    });
  const signedCopies = config.storage.redirectsDownloads
    ? opened.use(openSignedCopies(store, { log, now }))
    : undefined;
  const blobs = {
    nuget: watched("nuget", createBlobStore(store, { prefix: "nuget" })),
    npm: watched("npm", createBlobStore(store, { prefix: "npm", small })),
    oci: watched("oci", createBlobStore(store, { prefix: "oci", small })),
  };
  const npmSignatures = createNpmSignatures({ enabled, database, keyRing, log, now });
  const owned = opened.move();
  return {
    store,
    database,
    registryId,
    blobs,
    signing,
    signedCopies,
    keyRing,
    npmSignatures,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function openSignedCopies(
  store: ObjectStore,
  { log, now }: Pick<ResourceOptions, "log" | "now">,
): DerivedCopies {
  return createDerivedCopies(store, {
    folder: SIGNED_COPIES,
    now,
    onError: (error) => log.warn({ err: error }, "a signed package could not be copied"),
  });
}

/** Whether the database knows of keys that a key ring encrypted. */
async function hasEncrypted({ certificates, npm }: Database): Promise<boolean> {
  return (await certificates.list()).length > 0 || (await npm.signingKeys.list()).length > 0;
}

function databaseOptions(config: Config, now: () => Date): Parameters<typeof openDatabase>[1] {
  const { signing, migrateAtStart: migrate } = config;
  const advertise = signing.mode !== "off" && signing.advertiseAllRepositorySigned;
  return {
    now,
    migrate,
    keepContentMs: config.keepContentMs,
    immutableTags: immutableTags(config.ociTags.rules),
    clockThresholdMs: clockThresholdMs(config.ociGarbage),
    advertiseAllRepositorySigned: advertise,
  };
}
