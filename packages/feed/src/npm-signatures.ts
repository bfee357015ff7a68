import type { Caller } from "@sealhouse/request-types";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@sealhouse/database";
import type { KeyRing } from "@sealhouse/identity";
import {
  createVersionSigner,
  ensureKey,
  npmKeyProtection,
  signMissing,
  withSignatures,
} from "@sealhouse/npm-protocol";
import type { NpmRecorder } from "@sealhouse/npm-protocol";
import { runOperatorWork } from "@sealhouse/jobs";
import type { Job, OperatorOutcome } from "@sealhouse/jobs";

/** The registry signatures of npm packages. */
export type NpmSignatures = {
  /** Signs each version before it becomes visible. All publishes use it. */
  readonly recorder: NpmRecorder;
  readonly job: Job;
  /**
   * Removes a replaced key and signs its versions again. `busy`: another instance is signing now;
   * nothing changed.
   */
  revoke(keyId: string, caller: Caller): Promise<OperatorOutcome<"revoked" | "absent" | "signs">>;
};

/** Dependencies of the registry signatures; `enabled`: whether new versions are signed. */
export type NpmSignaturesParts = {
  readonly enabled: boolean;
  readonly database: Pick<Database, "npm" | "leases">;
  readonly keyRing: KeyRing;
  readonly log: { info(fields: object, message: string): void };
  readonly now: () => Date;
};

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const LEASE = "npm-signatures";
/** Between two steps: requests come first. */
const PAUSE_MS = 20;
/** Looked at once more by the next run: a version with a lower id may be committed later. */
const IDS_AGAIN = 1000;

/** Opens the registry signatures of npm packages. Keys are made by the first signature. */
export function createNpmSignatures(parts: NpmSignaturesParts): NpmSignatures {
  const { enabled, database, keyRing, now } = parts;
  const { recorder, signingKeys } = database.npm;
  const keyParts = { keys: signingKeys, protection: npmKeyProtection(keyRing), now };
  const sign = createVersionSigner(keyParts);
  let signedUpTo = 0;
  const signAll = async (pause: () => Promise<void>): Promise<void> => {
    await ensureKey(keyParts);
    const after = Math.max(0, signedUpTo - IDS_AGAIN);
    const versions = database.npm.unsigned;
    const done = await signMissing({ keys: signingKeys, versions, sign }, { after, pause });
    ({ signedUpTo } = done);
    if (done.signed > 0) parts.log.info({ signed: done.signed }, "signed older npm versions");
  };
  return {
    recorder: enabled ? withSignatures(recorder, sign) : recorder,
    job: {
      name: "npm signatures",
      firstAfterMs: SECOND_MS,
      everyMs: 10 * MINUTE_MS,
      async run(signal) {
        await (enabled ? withLease(parts, signal, signAll) : withdraw(parts));
      },
    },
    async revoke(keyId, caller) {
      const work = async (pause: () => Promise<void>) => {
        const outcome = await signingKeys.revoke(keyId, caller);
        if (enabled && outcome === "revoked") await signAll(pause);
        return outcome;
      };
      return withLease(parts, undefined, work);
    },
  };
}

/** New versions are not signed, so clients must not see keys. */
async function withdraw({ database, log }: NpmSignaturesParts): Promise<void> {
  if ((await database.npm.signingKeys.announced()).length === 0) return;
  await database.npm.signingKeys.announce("none");
  log.info({}, "npm signatures are disabled: signatures and keys are no longer served");
}

/** On one instance at a time; `busy` while it is another's turn. `pause` lets requests come
 * first, and ends the work where the lease is lost or the host stops. */
async function withLease<T>(
  { database }: NpmSignaturesParts,
  signal: AbortSignal | undefined,
  work: (pause: () => Promise<void>) => Promise<T>,
): Promise<OperatorOutcome<T>> {
  return runOperatorWork(database.leases, { name: LEASE, signal }, (leaseSignal) =>
    work(() => delay(PAUSE_MS, undefined, { signal: leaseSignal })),
  );
}
