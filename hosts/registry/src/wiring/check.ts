import type { Caller, Protocol } from "@sealhouse/request-types";
import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import { PROTOCOLS } from "@sealhouse/identity";
import type { Job, LeasedOutcome } from "@sealhouse/jobs";
import { runLeased } from "@sealhouse/jobs";
import { checkManifests } from "@sealhouse/oci-distribution";
import type { DamagedManifest } from "@sealhouse/oci-distribution";
import type {
  BlobFinding,
  BlobStore,
  CheckRun,
  CheckSummary,
  Counted,
  Leftover,
  ObjectStore,
  QuarantineOutcome,
} from "@sealhouse/storage-providers";
import { checkBlobs, leftovers, storedObjects, sweepLeftovers } from "@sealhouse/storage-providers";
import type { CheckMetrics } from "../check-metrics.ts";
import type { Log } from "../log.ts";
import type { CheckConfig } from "@sealhouse/storage-providers/settings";
import { setOrphansAside } from "./oci-orphans.ts";

export type CheckParts = {
  readonly database: Pick<Database, "oci" | "blobs" | "blobRecords" | "leases">;
  readonly store: ObjectStore;
  readonly blobs: Readonly<Record<Protocol, Pick<BlobStore, "sizeOf" | "read">>>;
  readonly now: () => Date;
};

export type StorageFinding =
  | ({ readonly type: "blob"; readonly protocol: Protocol } & BlobFinding)
  | ({ readonly type: "manifest"; readonly protocol: "oci" } & DamagedManifest);

export type StorageCheckRun = Pick<
  CheckRun,
  "verifyBefore" | "repair" | "bytesPerSecond" | "signal"
> & {
  readonly protocols: readonly Protocol[];
  readonly caller: Caller;
  /** Which of two checks must not run at once: those in the background, or those of operators. */
  readonly lease: "check" | "check-command";
  readonly onFinding: (finding: StorageFinding) => void;
  readonly onLeftover?: (leftover: Leftover) => void;
  readonly onProgress?: (protocol: Protocol, summary: CheckSummary) => void;
};

export type StorageReport = {
  readonly protocols: Readonly<Partial<Record<Protocol, CheckSummary>>>;
  /** Manifests that were read, and those of them whose bytes do not have their digest. */
  readonly manifests: { readonly read: number; readonly damaged: number };
  /** Objects of images that no row names; when repairing, what became of them. */
  readonly orphans?: QuarantineOutcome;
  /** Files of killed processes, older than an hour. Deleted when repairing. */
  readonly leftovers: Counted;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIB = 1024 * 1024;

/** Compares what is stored with the database, one protocol after the other. */
export function checkStorage(
  parts: CheckParts,
  run: StorageCheckRun,
): Promise<LeasedOutcome<StorageReport>> {
  const options = { name: run.lease, ...(run.signal && { signal: run.signal }) };
  return runLeased(parts.database.leases, options, async (signal) => {
    const leased = { ...run, signal };
    const isOci = run.protocols.includes("oci");
    // First, because it brings back what a row names after all.
    const changes = run.repair ? "all" : "restore";
    const orphans = isOci ? await setOrphansAside(parts, { changes, signal }) : undefined;
    const protocols: Partial<Record<Protocol, CheckSummary>> = {};
    for (const protocol of run.protocols) {
      protocols[protocol] = await checkProtocol(parts, protocol, leased);
    }
    const readsAll = isOci && run.verifyBefore !== undefined;
    return {
      protocols,
      manifests: readsAll ? await checkAllManifests(parts, leased) : { read: 0, damaged: 0 },
      ...(orphans && { orphans }),
      leftovers: await ofKilledProcesses(parts, leased),
    };
  });
}

async function checkProtocol(
  { database, store, blobs }: CheckParts,
  protocol: Protocol,
  { caller, onFinding, onProgress, ...run }: StorageCheckRun,
): Promise<CheckSummary> {
  const objects = storedObjects({
    store,
    blobs: blobs[protocol],
    prefix: protocol,
    isNamed: (keys) => database.blobs.isNamed(keys),
  });
  const ports = { records: database.blobRecords(protocol, caller), objects };
  const report = (summary: CheckSummary) => onProgress?.(protocol, summary);
  const running = checkBlobs(ports, { ...run, onProgress: report });
  for (;;) {
    const next = await running.next();
    if (next.done) {
      report(next.value);
      return next.value;
    }
    onFinding({ type: "blob", protocol, ...next.value });
  }
}

async function checkAllManifests(
  { database }: CheckParts,
  { onFinding, signal }: StorageCheckRun,
): Promise<StorageReport["manifests"]> {
  const running = checkManifests(database.oci.records, { ...(signal && { signal }) });
  for (let damaged = 0; ; damaged += 1) {
    const next = await running.next();
    if (next.done) return { read: next.value, damaged };
    onFinding({ type: "manifest", protocol: "oci", ...next.value });
  }
}

async function ofKilledProcesses(
  parts: CheckParts,
  { repair, signal, onLeftover }: StorageCheckRun,
): Promise<Counted> {
  const found = { count: 0, bytes: 0 };
  for await (const leftover of leftovers(parts.store, leftoverOptions(parts, signal))) {
    found.count += 1;
    found.bytes += leftover.size;
    onLeftover?.(leftover);
  }
  return repair ? deleteLeftovers(parts, signal) : found;
}

/** Deletes the files that killed processes left, once no process can own them any more. */
export function deleteLeftovers(
  parts: Pick<CheckParts, "store" | "now">,
  signal?: AbortSignal,
): Promise<Counted> {
  return sweepLeftovers(parts.store, leftoverOptions(parts, signal));
}

function leftoverOptions({ now }: Pick<CheckParts, "now">, signal: AbortSignal | undefined) {
  const olderThan = new Date(now().getTime() - HOUR_MS);
  return { prefixes: PROTOCOLS, olderThan, ...(signal && { signal }) };
}

/** The check in the background; undefined when it is off. */
export function checkJob(
  parts: CheckParts & {
    readonly feed: string;
    readonly check: CheckConfig;
    readonly metrics: CheckMetrics;
    readonly log: Log;
  },
): Job | undefined {
  const { feed, check, metrics, log, now } = parts;
  if (!check.enabled) return undefined;
  return {
    name: "storage check",
    everyMs: check.everyMs,
    firstAfterMs: Math.min(check.everyMs, 10 * MINUTE_MS),
    async run(signal) {
      const outcome = await checkStorage(parts, {
        protocols: PROTOCOLS,
        caller: SYSTEM,
        lease: "check",
        verifyBefore: new Date(now().getTime() - check.verifyEveryMs),
        bytesPerSecond: check.bytesPerSecond ?? (await sufficientRate(parts, check)),
        signal,
        onFinding: (finding) => logFinding(log, feed, finding),
        onProgress: (protocol, summary) => metrics.progress(protocol, summary),
      });
      if (outcome.status === "busy") return;
      metrics.ended(now());
      const { protocols, manifests, leftovers: left } = outcome.result;
      log.info({ feed, ...protocols, manifests, leftovers: left }, "the storage check has ended");
    },
  };
}

/** Reads everything in half of the time, for what is stored meanwhile. */
async function sufficientRate(
  { database }: CheckParts,
  { verifyEveryMs }: CheckConfig,
): Promise<number> {
  const sums = await Promise.all(PROTOCOLS.map((protocol) => database.blobs.usage(protocol)));
  const bytes = sums.reduce((sum, one) => sum + one, 0);
  return Math.max(MIB, Math.ceil((2 * bytes) / Math.max(1, verifyEveryMs / 1000)));
}

const HEALING: Readonly<Record<Protocol, string>> = {
  nuget: "publish the package again",
  npm: "publish the version again",
  oci: "push the image again",
};

function logFinding(log: Log, feed: string, { type, ...finding }: StorageFinding): void {
  if (type === "manifest") {
    log.error({ feed, ...finding }, "a manifest in the database does not have its digest");
    return;
  }
  const healing = HEALING[finding.protocol];
  log.error({ feed, ...finding }, `a stored object is missing or changed; ${healing}`);
}
