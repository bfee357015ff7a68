import { openDatabase, SchemaMismatchError } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { createSharedFiles } from "@sealhouse/storage-providers";
import { checkOwnSubject, signingProblems } from "@sealhouse/repo-signing/feed";
import { createLog } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { openStorage } from "../wiring/resources/storage.ts";
import type { HostCommand } from "./host-command.ts";

/**
 * Opens key and certificate as `serve` does. Resolves to problems that prevent signing now and do
 * not stop `serve`. A database that has no current schema knows no retired certificate.
 *
 * @throws SigningSetupError for a problem that stops it
 */
export async function checkSigning(
  command: HostCommand,
  { hasDatabase }: { readonly hasDatabase: boolean },
): Promise<readonly string[]> {
  const { config } = command.load();
  const { signing } = config;
  if (signing.mode === "off") return [];
  if (signing.mode === "SelfSigned") {
    await checkOwnSubject(signing);
    return [];
  }
  const { extensions, stderr, now = () => new Date() } = command;
  await using store = await openStorage(config.storage, extensions);
  const log = createLog(config.host.log, (line) => stderr(line.trimEnd()));
  const parts = { extensions, log, now, files: createSharedFiles(store) };
  await using database = hasDatabase ? await openCurrent(config) : undefined;
  return await signingProblems({ ...parts, ledger: database?.certificates }, signing);
}

/** Undefined for a database that the next start migrates. */
async function openCurrent({ database }: Config): Promise<Database | undefined> {
  try {
    return await openDatabase(database, { migrate: false });
  } catch (error) {
    if (error instanceof SchemaMismatchError) return undefined;
    throw error;
  }
}
