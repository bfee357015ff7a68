import type { Job, Leases, OperatorOutcome } from "@sealhouse/jobs";
import { runOperatorWork } from "@sealhouse/jobs";
import type { BlobStore } from "../blob-store.ts";
import { leftovers, sweepLeftovers } from "../leftovers.ts";
import type { Leftover } from "../leftovers.ts";
import { setOrphansAside } from "../orphans.ts";
import type { OrphanPorts } from "../orphans.ts";
import type { QuarantineOutcome } from "../quarantine.ts";
import type { CheckConfig } from "../settings/parse-check.ts";
import { requireMarker } from "../store-marker.ts";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { checkBlobs } from "./check-blobs.ts";
import type { BlobFinding, CheckRun, CheckSummary, Counted } from "./check-blobs.ts";
import type { BlobRecords } from "./ports.ts";
import { storedObjects } from "./stored-objects.ts";

/** The ports of the check of a storage. */
export type CheckParts = OrphanPorts & {
  /** The registry whose id the marker of the store must contain. Default: no marker is needed. */
  readonly registryId?: string | undefined;
  readonly leases: Leases;
  /** The rows of a protocol's blobs; changes are recorded as the caller's. */
  readonly records: (protocol: Protocol, caller: Caller) => BlobRecords;
  /** Reads all image manifests, yields damaged ones and returns the number read. */
  readonly manifests: (options: {
    readonly signal?: AbortSignal;
  }) => AsyncGenerator<DamagedManifest, number>;
  /** Bytes of all blobs of a protocol. */
  readonly usage: (protocol: Protocol) => Promise<number>;
  readonly blobs: Readonly<Record<Protocol, Pick<BlobStore, "sizeOf" | "read">>>;
};

/** An image manifest in the database whose bytes do not have its digest. */
export type DamagedManifest = { readonly repository: string; readonly digest: string };

/** The part of `CheckMetrics` that reports progress. */
export type CheckProgress = {
  progress(protocol: Protocol, summary: CheckSummary): void;
  ended(time: Date): void;
};

/** The part of a structured log that the check writes to. */
export type CheckLog = Readonly<
  Record<"info" | "error", (fields: object, message: string) => void>
>;

const PROTOCOLS = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

/** A damaged blob or manifest. */
export type StorageFinding =
  | ({ readonly type: "blob"; readonly protocol: Protocol } & BlobFinding)
  | ({ readonly type: "manifest"; readonly protocol: "oci" } & DamagedManifest);

/** Options of one run of the check. */
export type StorageCheckRun = Pick<
  CheckRun,
  "verifyBefore" | "repair" | "bytesPerSecond" | "signal"
> & {
  readonly protocols: readonly Protocol[];
  readonly caller: Caller;
  /** Scheduled checks and checks of operators have separate leases. */
  readonly lease: "check" | "check-command";
  readonly onFinding: (finding: StorageFinding) => void;
  readonly onLeftover?: (leftover: Leftover) => void;
  readonly onProgress?: (protocol: Protocol, summary: CheckSummary) => void;
};

/** The result of one run of the check. */
export type StorageReport = {
  readonly protocols: Readonly<Partial<Record<Protocol, CheckSummary>>>;
  /** Number of manifests that were read, and of those with a wrong digest. */
  readonly manifests: { readonly read: number; readonly damaged: number };
  /** Unreferenced objects of images, and what happened to them. */
  readonly orphans?: QuarantineOutcome;
  /** Files of killed processes, older than an hour. Deleted when repairing. */
  readonly leftovers: Counted;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIB = 1024 * 1024;

/** Compares the stored objects with the database, one protocol after the other. */
export function checkStorage(
  parts: CheckParts,
  run: StorageCheckRun,
): Promise<OperatorOutcome<StorageReport>> {
  const options = { name: run.lease, signal: run.signal };
  return runOperatorWork(parts.leases, options, async (signal) => {
    if (parts.registryId !== undefined) await requireMarker(parts.store, parts.registryId);
    const leased = { ...run, signal };
    const isOci = run.protocols.includes("oci");
    // First, because it restores objects that have a row after all.
    const changes = run.repair ? "all" : "restore";
    const orphans = isOci
      ? await setOrphansAside(parts, { prefix: "oci", changes, signal })
      : undefined;
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
  { records, isNamed, store, blobs }: CheckParts,
  protocol: Protocol,
  { caller, onFinding, onProgress, ...run }: StorageCheckRun,
): Promise<CheckSummary> {
  const objects = storedObjects({
    store,
    blobs: blobs[protocol],
    prefix: protocol,
    isNamed,
  });
  const ports = { records: records(protocol, caller), objects };
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
  { manifests }: CheckParts,
  { onFinding, signal }: StorageCheckRun,
): Promise<StorageReport["manifests"]> {
  const running = manifests({ ...(signal && { signal }) });
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
  const totals = { count: 0, bytes: 0 };
  for await (const leftover of leftovers(parts.store, leftoverOptions(parts, signal))) {
    totals.count += 1;
    totals.bytes += leftover.size;
    onLeftover?.(leftover);
  }
  return repair ? deleteLeftovers(parts, signal) : totals;
}

/** Deletes files of killed processes after an hour. */
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

/** Creates the scheduled check; undefined when it is disabled. */
export function checkJob(
  parts: CheckParts & {
    readonly feed: string;
    readonly check: CheckConfig;
    readonly metrics: CheckProgress;
    readonly log: CheckLog;
    /** Named in the events of damage that scheduled checks find. */
    readonly caller: Caller;
  },
): Job | undefined {
  const { feed, check, metrics, log, caller, now } = parts;
  if (!check.enabled) return undefined;
  return {
    name: "storage check",
    everyMs: check.everyMs,
    firstAfterMs: Math.min(check.everyMs, 10 * MINUTE_MS),
    async run(signal) {
      const outcome = await checkStorage(parts, {
        protocols: PROTOCOLS,
        caller,
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

/** Returns the rate that reads all data in half of the interval, because data grows. */
export async function sufficientRate(
  { usage }: Pick<CheckParts, "usage">,
  { verifyEveryMs }: Pick<CheckConfig, "verifyEveryMs">,
): Promise<number> {
  const sums = await Promise.all(PROTOCOLS.map((protocol) => usage(protocol)));
  const bytes = sums.reduce((sum, part) => sum + part, 0);
  return Math.max(MIB, Math.ceil((2 * bytes) / Math.max(1, verifyEveryMs / 1000)));
}

const HEALING: Readonly<Record<Protocol, string>> = {
  nuget: "publish the package again",
  npm: "publish the version again",
  oci: "push the image again",
};

function logFinding(log: CheckLog, feed: string, { type, ...finding }: StorageFinding): void {
  if (type === "manifest") {
    log.error({ feed, ...finding }, "a manifest in the database does not have its digest");
    return;
  }
  const healing = HEALING[finding.protocol];
  log.error({ feed, ...finding }, `a stored object is missing or changed; ${healing}`);
}
