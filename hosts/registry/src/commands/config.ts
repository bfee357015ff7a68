import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import type { ShownSettings } from "@sealhouse/administration";
import { checkDatabase } from "@sealhouse/database";
import { errorCodeOf } from "@sealhouse/http-responses";
import { hasKeys, openKeyRing, openPepper, placeWarnings } from "@sealhouse/identity";
import { parseObjectKey, probeStore, readMark } from "@sealhouse/storage-providers";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Config } from "../settings/config.ts";
import { showSettings } from "@sealhouse/settings";
import { settingsTable } from "../settings/table.ts";
import { checkFolders } from "../wiring/resources/check-folders.ts";
import { foreignStorage, ForeignStorageError } from "@sealhouse/feed";
import { openStorage } from "../wiring/resources/storage.ts";
import { checkSigning } from "./config-signing.ts";
import { linesOfKeys } from "@sealhouse/command-line";
import type { HostCommand } from "./host-command.ts";

const NOT_NOW = 1;

/** Problems end it with the same words and exit code as they end a start. What the host starts
 * without, such as a key service that is out, ends it with 1. */
export async function checkConfig(command: HostCommand): Promise<number> {
  const { load, stdout, stderr } = command;
  const { config, warnings } = load();
  for (const warning of warnings) stderr(`Warning: ${warning}`);
  for (const warning of await keyRingWarnings(config)) stderr(`Warning: ${warning}`);
  await checkFolders(config);
  await checkTrustedRoot(config.feed.npm);
  for (const line of await checkSecrets(config)) stdout(line);
  const ofDatabase = await examineDatabase(config);
  const hasDatabase = ofDatabase.problems.length === 0 && !isMissing(config);
  const problems = [
    ...ofDatabase.problems,
    ...(await storageProblems(command, ofDatabase.identity)),
    ...(await checkSigning(command, { hasDatabase })),
  ];
  for (const problem of problems) stderr(problem);
  if (problems.length > 0) return NOT_NOW;
  stdout(`The configuration for ${config.environment} is valid.`);
  return 0;
}

async function checkTrustedRoot({ enabled, trustedRoot }: Config["feed"]["npm"]): Promise<void> {
  if (!enabled || trustedRoot === undefined) return;
  const { openBundleVerification } = await import("@sealhouse/npm-protocol");
  await openBundleVerification(trustedRoot);
}

/**
 * Reads the key ring and the pepper. `serve` creates missing ones, and this command does not.
 * Returns a line for each key of the ring.
 *
 * @throws KeyRingError for a damaged key file or a wrong wrapping key
 */
async function checkSecrets({ host: { keyRing, pepper } }: Config): Promise<readonly string[]> {
  if (pepper.type === "generated" && existsSync(pepper.path)) await openPepper(pepper);
  if (!(await hasKeys(keyRing.path))) return [];
  const ring = await openKeyRing({ ...keyRing, random: randomBytes });
  return linesOfKeys(ring.keys(), new Date());
}

type ExaminedDatabase = {
  readonly problems: readonly string[];
  /** The id of the registry; undefined when it could not be read. */
  readonly identity: { readonly registryId: string | undefined } | undefined;
};

/** A SQLite file that does not exist yet is made by `serve`, and not by this command. */
async function examineDatabase(config: Config): Promise<ExaminedDatabase> {
  const { database, migrateAtStart: migrate } = config;
  if (isMissing(config)) return { problems: [], identity: { registryId: undefined } };
  const failed = (problem: string) => ({ problems: [problem], identity: undefined });
  try {
    return { problems: [], identity: await checkDatabase(database, { migrate }) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = errorCodeOf(error) ?? "";
    if (code === "schema-mismatch") return failed(error.message);
    if (!code.startsWith("database-")) throw error;
    return failed(`${error.message} Start the database, or correct Database__ConnectionString.`);
  }
}

function isMissing({ database }: Config): boolean {
  return database.type === "Sqlite" && !existsSync(database.path);
}

/**
 * A storage folder that does not exist yet is made by `serve`, and not by this command.
 *
 * @throws ForeignStorageError
 */
async function storageProblems(
  { load, extensions }: HostCommand,
  identity: ExaminedDatabase["identity"],
): Promise<readonly string[]> {
  const { storage } = load().config;
  if (storage.type === "FileSystem" && !existsSync(storage.path)) return [];
  try {
    await using store = await openStorage(storage, extensions);
    const mark = await readMark(store);
    await (mark ? probeStore(store) : tryStore(store));
    const found = mark?.registryId;
    if (identity && found !== undefined && found !== identity.registryId) {
      throw foreignStorage(storage, { own: identity.registryId, found });
    }
    return [];
  } catch (error) {
    if (error instanceof ForeignStorageError) throw error;
    if (!(error instanceof Error) || !errorCodeOf(error)?.startsWith("storage-")) throw error;
    return [`${error.message}. Correct the storage or the settings Storage__*.`];
  }
}

/** The marker of a store is written by the first start. */
async function tryStore(store: ObjectStore): Promise<void> {
  const key = parseObjectKey(`health/${randomUUID()}`);
  await store.write(key, Readable.from([Buffer.from("check\n")]), { existing: "replace" });
  await store.delete(key);
}

async function keyRingWarnings(config: Config): Promise<readonly string[]> {
  const { path } = config.host.keyRing;
  if (config.development) return [];
  return [
    ...(await placeWarnings(config)),
    ...((await hasKeys(path)) ? [] : [`The key ring ${path} holds no key; serve makes a new one.`]),
  ];
}

/** The settings in force with their sources. Secrets are masked. */
export function shownSettings({ load, extensions }: HostCommand): ShownSettings {
  const { entries, warnings } = load();
  return { items: showSettings(entries, settingsTable(extensions)), warnings };
}
