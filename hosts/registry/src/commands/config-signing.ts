import { createSharedFiles } from "@sealhouse/storage-providers";
import { createLog } from "../log.ts";
import {
  openOnce,
  successorSource,
  checkOwnSubject,
  checkSigner,
  SigningSetupError,
} from "@sealhouse/repo-signing/feed";
import type { SigningOn } from "@sealhouse/repo-signing/feed";
import { openStorage } from "../wiring/storage.ts";
import type { Command } from "./command.ts";

type Provided = Exclude<SigningOn, { readonly mode: "SelfSigned" }>;

/** A key service is waited for so long. */
const WITHIN_MS = 15_000;

/**
 * Opens key and certificate as `serve` does, without the database. Resolves to what is in the way
 * of signing now and does not stop `serve`.
 *
 * @throws SigningSetupError for what stops it
 */
export async function signingProblems(command: Command): Promise<readonly string[]> {
  const { config } = command.load();
  const { signing } = config;
  if (signing.mode === "off") return [];
  if (signing.mode === "SelfSigned") {
    await checkOwnSubject(signing);
    return [];
  }
  const { isMisconfigured } = await import("@sealhouse/repo-signing");
  const problems: string[] = [];
  const inUse = await problemOf(command, signing);
  if (inUse && isMisconfigured(inUse.cause)) throw inUse;
  if (inUse) problems.push(`${inUse.message} The host starts; pushes are refused.`);
  const successor = successorSource(signing);
  const next = successor && (await problemOf(command, successor));
  if (next) problems.push(`${next.message} The host starts without the next certificate.`);
  return problems;
}

async function problemOf(command: Command, signing: Provided): Promise<Error | undefined> {
  const { config } = command.load();
  const { extensions, tell, now = () => new Date() } = command;
  const library = await import("@sealhouse/repo-signing");
  await using store = await openStorage(config.storage, extensions);
  const log = createLog(config.host.log, (line) => tell(line.trimEnd()));
  const parts = { extensions, log, now, files: createSharedFiles(store) };
  const late = AbortSignal.timeout(WITHIN_MS);
  const open = async () => {
    try {
      return await library.untilAborted(late, () => openOnce(parts, signing, library));
    } catch (error) {
      if (error !== late.reason) throw error;
      const message = `There was no answer within ${WITHIN_MS / 1000} seconds.`;
      throw new library.SigningError("signer", message, { retryable: true, cause: error });
    }
  };
  try {
    await checkSigner(parts, signing, open);
    return undefined;
  } catch (error) {
    if (!(error instanceof SigningSetupError)) throw error;
    return error;
  }
}
