import { openDatabase } from "@sealhouse/database";
import { adoptStore, exists, hasAny, readMark } from "@sealhouse/storage-providers";
import { newestKeys, storagePlace } from "@sealhouse/feed";
import { openStorage } from "../wiring/resources/storage.ts";
import { CommandError, operator } from "@sealhouse/command-line";
import type { HostCommand } from "./host-command.ts";

/** `sealhouse storage adopt`: writes the id of the database into the marker of the storage. */
export async function adoptStorage({
  load,
  extensions,
  stdout,
  stderr,
}: HostCommand): Promise<number> {
  const { config } = load();
  const { storage } = config;
  // A folder that is missing would be opened as an empty store.
  if (storage.type === "FileSystem" && !(await exists(storage.path))) {
    throw new CommandError(`The storage folder ${storage.path} does not exist.`);
  }
  await using store = await openStorage(storage, extensions);
  await using database = await openDatabase(config.database, { migrate: config.migrateAtStart });
  const registryId = await database.registryId();
  const mark = await readMark(store);
  const formerId = mark?.registryId;
  if (formerId === registryId) {
    stdout(`${storagePlace(storage)} belongs to this registry already (${registryId}).`);
    return 0;
  }
  await adoptStore(store, registryId);
  const detail = { place: storagePlace(storage), registryId, formerRegistryId: formerId ?? null };
  const caller = operator();
  await database.events.record([{ type: "settings.changed", subject: "storage", caller, detail }]);
  stdout(`Former registry: ${formerId ?? (mark ? "without an id" : "none")}`);
  stdout(`Registry: ${registryId}`);
  if (!(await hasAny(store, await newestKeys(database)))) stderr(NONE_NAMED);
  return 0;
}

const NONE_NAMED =
  "Warning: the storage has none of the newest objects of the database. A host deletes objects " +
  "that its database does not reference, after a day. Restore the database before you start it.";
