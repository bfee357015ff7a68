import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@sealhouse/database";
import type { BlobStore } from "@sealhouse/storage-providers";
import { runLeased } from "@sealhouse/jobs";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { Signing } from "../wiring/signing.ts";
import type { SigningTools } from "../wiring/signing-parts.ts";
import { resign } from "./resign.ts";

export type ResignJobParts = {
  readonly database: Pick<Database, "certificates" | "leases" | "nuget">;
  readonly blobs: Pick<BlobStore, "read">;
  readonly signing: Pick<Signing, "tools">;
  readonly log: Log;
  readonly now: () => Date;
  /** Between two versions: requests come first. Default 50 ms. */
  readonly pauseMs?: number;
};

const MINUTE_MS = 60_000;
const EVERY_MS = 10 * MINUTE_MS;
const LEASE = "resign";
const PAUSE_MS = 50;

/** `Signing__ResignAfterRotation`: signs again, bit by bit, what older certificates have signed. */
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
    /** Certificates whose versions stay as they are: looking at them again would read them all. */
    readonly settled?: Set<string>;
  },
): Promise<void> {
  const { leases } = parts.database;
  const tools = await parts.signing.tools();
  const all = tools ? await olderCertificates(parts, tools) : [];
  const older = all.filter((fingerprint) => !settled.has(fingerprint));
  if (!tools || older.length === 0) return;
  await runLeased(leases, { name: LEASE, signal }, async (held) => {
    for (const by of older) {
      const signed = await resignAll(parts, tools, { by, signal: held });
      if (signed === 0) settled.add(by);
    }
  });
}

/**
 * Fingerprints of the certificates that still vouch for something and were taken into use before
 * the one of today. Not of all others: an instance that has not noticed a rotation yet must not
 * sign back to the certificate it knows.
 */
async function olderCertificates(
  { database, now }: ResignJobParts,
  { signer }: SigningTools,
): Promise<readonly string[]> {
  const { usableCertificate } = await import("@sealhouse/repo-signing");
  const { fingerprint } = usableCertificate(await signer(), now());
  const today = await database.certificates.find(fingerprint);
  const counts = await database.nuget.seals.counts();
  // Before its first signature nothing can be older in a way that everybody sees.
  if (!today) return [];
  return (await database.certificates.list())
    .filter(({ firstUsedAt }) => firstUsedAt < today.firstUsedAt)
    .map((record) => record.fingerprint)
    .filter((one) => one !== fingerprint && counts.has(one));
}

/** Gives how many versions were signed again. */
async function resignAll(
  { database, blobs, log, pauseMs = PAUSE_MS }: ResignJobParts,
  { sealer }: SigningTools,
  { by, signal }: { readonly by: string; readonly signal: AbortSignal },
): Promise<number> {
  const { seals } = database.nuget;
  const counted = { signed: 0, changed: 0, kept: 0, failed: 0, planned: 0 };
  const run = { which: { by }, dryRun: false, limit: undefined, signal };
  for await (const step of resign({ seals, blobs, sealer }, run)) {
    counted[step.outcome] += 1;
    if (step.outcome === "failed") log.warn({ ...step }, "a version could not be signed again");
    await delay(pauseMs, undefined, { signal });
  }
  const { signed, changed, kept, failed } = counted;
  log.info({ from: by, signed, changed, kept, failed }, "signed again with today's certificate");
  return signed;
}
