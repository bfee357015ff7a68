import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import type { KeyRing } from "@sealhouse/identity";
import type { Job } from "@sealhouse/jobs";
import type { Caller } from "@sealhouse/request-types";

/** The key ring, and where its changes are recorded. */
export type KeyRingParts = {
  readonly keyRing: Pick<KeyRing, "rotate" | "wrapFiles">;
  readonly database: Pick<Database, "events">;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
};

const HOUR_MS = 60 * 60_000;
/** The folder cannot be written: the known keys remain usable. */
const UNWRITABLE = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

/**
 * Creates the job that encrypts plain key files, adds a key every 90 days and reads the keys of
 * other instances. Runs at the start, too. It needs no lease: of several instances that add a key
 * the file system lets one succeed.
 */
export function keyRingJob(parts: KeyRingParts): Job {
  return {
    name: "key ring",
    firstAfterMs: 0,
    everyMs: 6 * HOUR_MS,
    run: () => maintainKeyRing(parts),
  };
}

async function maintainKeyRing(parts: KeyRingParts): Promise<void> {
  const { keyRing, log } = parts;
  try {
    const files = await keyRing.wrapFiles();
    if (files > 0) log.info({ files }, "encrypted key files with the wrapping key");
    await rotateKeyRing(parts, { when: "due", caller: SYSTEM });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!UNWRITABLE.has(code)) throw error;
    log.warn({ code }, "could not write to the folder of the key ring; its keys stay in use");
  }
}

/** Adds a key and its event. Resolves to the id of the key; undefined when none was added. */
export async function rotateKeyRing(
  { keyRing, database, log }: KeyRingParts,
  { when, caller }: { readonly when: "due" | "now"; readonly caller: Caller },
): Promise<string | undefined> {
  const key = await keyRing.rotate(when);
  if (!key) return undefined;
  const detail = { change: "rotated", keyId: key.id };
  await database.events.record([{ type: "settings.changed", subject: "key-ring", caller, detail }]);
  log.info({ key: key.id }, "added a key to the key ring");
  return key.id;
}
