import type { Database } from "@sealhouse/database";
import { claimStore } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { StorageConfig } from "@sealhouse/storage-providers/settings";

/** The storage belongs to another registry than the database. */
export class ForeignStorageError extends Error {
  override readonly name = "ForeignStorageError";
  readonly code = "storage-foreign";
}

/** Number of the newest objects to look for in a storage without the id of a registry. */
const NEWEST_KEYS = 100;

/**
 * Decides whether the storage is that of the database, and writes the id of a new registry into its
 * marker. Returns the id.
 *
 * @throws ForeignStorageError
 */
export async function claimStorage({
  storage,
  store,
  database,
  log,
}: {
  readonly storage: StorageConfig;
  readonly store: ObjectStore;
  readonly database: Pick<Database, "blobs" | "registryId">;
  readonly log: { error(fields: object, message: string): void };
}): Promise<string> {
  const registryId = await database.registryId();
  const namedKeys = () => newestKeys(database);
  const claimed = await claimStore(store, { registryId, namedKeys });
  if (claimed.status === "foreign") {
    throw foreignStorage(storage, { own: registryId, found: claimed.registryId });
  }
  if (claimed.status === "unmounted") {
    log.error(
      {},
      "the storage has none of the newest objects of the database: check that it is mounted",
    );
  }
  return registryId;
}

/** Returns the keys of the newest objects that the database references. */
export function newestKeys({ blobs }: Pick<Database, "blobs">): Promise<readonly string[]> {
  return blobs.newestObjects(NEWEST_KEYS);
}

/** Creates the error for the ids of the database and of the marker. */
export function foreignStorage(
  storage: StorageConfig,
  { own, found }: { readonly own: string | undefined; readonly found: string | undefined },
): ForeignStorageError {
  const settings = storage.type === "FileSystem" ? "Storage__Path" : "the settings Storage__*";
  const reason =
    found === undefined
      ? "has objects, and none of the newest objects of the database"
      : `belongs to the registry ${found}, and the database to ${own ?? "a new registry"}`;
  return new ForeignStorageError(
    `${storagePlace(storage)}: the storage ${reason}. ` +
      "Two registries in one storage would delete each other's objects. " +
      `Correct ${settings} or the settings Database__*. If the database was restored or replaced ` +
      'on purpose, run "sealhouse storage adopt".',
  );
}

/** The setting that selects the storage, with its value. */
export function storagePlace(storage: StorageConfig): string {
  return storage.type === "FileSystem"
    ? `Storage__Path=${storage.path}`
    : `Storage__Type=${storage.name}`;
}
