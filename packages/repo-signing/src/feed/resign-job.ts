import { setTimeout as delay } from "node:timers/promises";
import { runLeased } from "@sealhouse/jobs";
import type { Job, Leases } from "@sealhouse/jobs";
import type { CertificateLedger } from "../ports.ts";
import type { FeedSigning } from "./feed-signing.ts";
import type { SigningLog, SigningTools } from "./feed-options.ts";
import { currentCertificate } from "./rotate-certificate.ts";
import { resignAndCount } from "./resign.ts";
import type { SealedVersions, StoredFiles } from "./resign.ts";

export type ResignJobParts = {
  readonly ledger: CertificateLedger;
  readonly leases: Leases;
  readonly seals: SealedVersions & {
    /** Numbers of versions by the fingerprint of their certificate. */
    counts(): Promise<ReadonlyMap<string, number>>;
  };
  readonly blobs: StoredFiles;
  readonly signing: Pick<FeedSigning, "tools">;
  readonly log: SigningLog;
  readonly now: () => Date;
  /** Between two versions: requests come first. Default 50 ms. */
  readonly pauseMs?: number;
};

const MINUTE_MS = 60_000;
const EVERY_MS = 10 * MINUTE_MS;
const LEASE = "resign";
const PAUSE_MS = 50;

/** `Signing__ResignAfterRotation`: signs packages of older certificates again, one at a time. */
export function resignJob(parts: ResignJobParts): Job {
  const settled = new Set<string>();
  return {
    name: "signing again",
    everyMs: EVERY_MS,
    firstAfterMs: MINUTE_MS,
    run: (signal) => resignOlder(parts, { signal, settled }),
  };
}

/** One run over the whole feed, on one instance at a time. */
export async function resignOlder(
  parts: ResignJobParts,
  {
    signal,
    settled = new Set(),
  }: {
    readonly signal: AbortSignal;
    /** Certificates of which no version could be signed again; skipped from then on. */
    readonly settled?: Set<string>;
  },
): Promise<void> {
  const { leases } = parts;
  const tools = await parts.signing.tools();
  const all = tools ? await olderCertificates(parts, tools) : [];
  const older = all.filter((fingerprint) => !settled.has(fingerprint));
  if (!tools || older.length === 0) return;
  await runLeased(leases, { name: LEASE, signal }, async (leaseSignal) => {
    for (const by of older) {
      const signed = await resignAll(parts, tools, { by, signal: leaseSignal });
      if (signed === 0) settled.add(by);
    }
  });
}

/**
 * Fingerprints of certificates that signed current versions and were first used before the current
 * one. Newer certificates are left out: an instance that has not noticed a rotation must not sign
 * with the old certificate again.
 */
async function olderCertificates(
  { ledger, seals, now }: ResignJobParts,
  { signer }: SigningTools,
): Promise<readonly string[]> {
  const { fingerprint } = await currentCertificate({ signer }, now());
  const current = await ledger.find(fingerprint);
  const counts = await seals.counts();
  // Without a recorded first use no certificate is older for certain.
  if (!current) return [];
  return (await ledger.list())
    .filter(({ firstUsedAt }) => firstUsedAt < current.firstUsedAt)
    .map((record) => record.fingerprint)
    .filter((candidate) => candidate !== fingerprint && counts.has(candidate));
}

/** Resolves to the number of versions that were signed again. */
async function resignAll(
  { seals, blobs, log, pauseMs = PAUSE_MS }: ResignJobParts,
  { sealer }: SigningTools,
  { by, signal }: { readonly by: string; readonly signal: AbortSignal },
): Promise<number> {
  const run = { which: { by }, dryRun: false, limit: undefined, signal };
  const { signed, changed, kept, failed } = await resignAndCount(
    { seals, blobs, sealer },
    run,
    async (step) => {
      if (step.outcome === "failed") log.warn({ ...step }, "could not sign a version again");
      await delay(pauseMs, undefined, { signal });
    },
  );
  log.info(
    { from: by, signed, changed, kept, failed },
    "signed versions again with the current certificate",
  );
  return signed;
}
