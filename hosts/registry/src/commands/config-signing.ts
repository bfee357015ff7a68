import { createSharedFiles } from "@sealhouse/storage-providers";
import { checkOwnSubject, signingProblems } from "@sealhouse/repo-signing/feed";
import { createLog } from "../log.ts";
import { openStorage } from "../wiring/storage.ts";
import type { Command } from "./command.ts";

/**
 * Opens key and certificate as `serve` does, without the database. Resolves to problems that
 * prevent signing now and do not stop `serve`.
 *
 * @throws SigningSetupError for a problem that stops it
 */
export async function checkSigning(command: Command): Promise<readonly string[]> {
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
  return await signingProblems(parts, signing);
}
