import { randomUUID } from "node:crypto";
import type { Database } from "@sealhouse/database";
import { SYSTEM } from "@sealhouse/events";
import type {
  BlobObjects,
  CheckFinding,
  CheckRun,
  CheckSummary,
} from "@sealhouse/oci-distribution";
import { checkStored } from "@sealhouse/oci-distribution";
import type { BlobStore, ObjectStore, QuarantineOutcome } from "@sealhouse/storage-providers";
import { parseObjectKey } from "@sealhouse/storage-providers";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { OciScrubConfig } from "../settings/oci-scrub.ts";
import { setOrphansAside } from "./oci-orphans.ts";

export type OciCheckParts = {
  readonly database: Pick<Database, "oci" | "blobs" | "leases">;
  readonly store: ObjectStore;
  readonly blobs: { readonly oci: Pick<BlobStore, "sizeOf" | "read"> };
  readonly now: () => Date;
};

export type OciCheckEnd =
  | {
      readonly status: "ended";
      readonly summary: CheckSummary;
      /** Objects that no row names; when repairing, what became of them. */
      readonly orphans: QuarantineOutcome;
    }
  /** Another instance, or a command, is at it. */
  | { readonly status: "busy" };

const MINUTE_MS = 60_000;
const LEASE = "oci-scrub";
const LEASE_MS = 30 * MINUTE_MS;
const RENEW_AFTER_MS = LEASE_MS / 3;

/** One check of everything that is stored for images, by one at a time. */
export async function applyOciCheck(
  parts: OciCheckParts,
  run: CheckRun & { readonly onFinding: (finding: CheckFinding) => void },
): Promise<OciCheckEnd> {
  const { leases, oci } = parts.database;
  const holder = randomUUID();
  if ((await leases.acquire(LEASE, holder, LEASE_MS)) === undefined) return { status: "busy" };
  const renewing = renew(parts, holder);
  try {
    const changes = run.repair ? "all" : "restore";
    const signal = AbortSignal.any([renewing.lost, ...(run.signal ? [run.signal] : [])]);
    // First, because it brings back what a row names after all.
    const orphans = await setOrphansAside(parts, { changes, signal });
    const ports = { records: oci.records, objects: storedObjects(parts) };
    const running = checkStored(ports, { ...run, signal });
    for (;;) {
      const next = await running.next();
      if (next.done) return { status: "ended", summary: next.value, orphans };
      run.onFinding(next.value);
    }
  } finally {
    await renewing.stop();
    await leases.release(LEASE, holder);
  }
}

/** Reading one large object may take longer than the lease. */
function renew(
  { database }: OciCheckParts,
  holder: string,
): { readonly lost: AbortSignal; stop(): Promise<void> } {
  const lost = new AbortController();
  let renewal: Promise<void> = Promise.resolve();
  const keep = async (): Promise<void> => {
    const held = await database.leases.acquire(LEASE, holder, LEASE_MS).catch(() => undefined);
    if (held !== undefined) return;
    lost.abort(new Error("The check stopped, because another instance took it over."));
  };
  const timer = setInterval(() => (renewal = keep()), RENEW_AFTER_MS);
  timer.unref();
  return {
    lost: lost.signal,
    async stop() {
      clearInterval(timer);
      await renewal;
    },
  };
}

const HOME = "oci/blobs/";
const ASIDE = "oci/quarantine/";

/** The bytes of images, on any storage; small ones are with their rows. */
function storedObjects({ store, blobs, database }: OciCheckParts): BlobObjects {
  return {
    sizeOf: (key) => blobs.oci.sizeOf(key),
    read: (key) => blobs.oci.read(key),
    async *others(key) {
      // All generations of the same bytes have the same name up to the last dot.
      const address = key.slice(0, key.lastIndexOf(".") + 1);
      for (const prefix of [address, address.replace(HOME, ASIDE)]) {
        for await (const { key: other } of store.list(prefix)) {
          const home = other.replace(ASIDE, HOME);
          const named = await database.blobs.isNamed([home]);
          if (!named.has(home)) yield other;
        }
      }
    },
    async bringBack(key) {
      const home = key.replace(ASIDE, HOME);
      if (home !== key) await store.move(parseObjectKey(key), parseObjectKey(home));
      return home;
    },
  };
}

/** The scheduled scrub (rule R13); undefined when it is off. */
export function ociScrubJob(
  parts: OciCheckParts & {
    readonly feed: string;
    readonly scrub: OciScrubConfig;
    readonly log: Log;
  },
): Job | undefined {
  const { feed, scrub, log, now } = parts;
  const { enabled, everyMs, verifyEveryMs, bytesPerSecond } = scrub;
  if (!enabled) return undefined;
  return {
    name: "oci scrub",
    everyMs,
    firstAfterMs: Math.min(everyMs, 10 * MINUTE_MS),
    async run(signal) {
      const verifyBefore = new Date(now().getTime() - verifyEveryMs);
      const onFinding = (finding: CheckFinding) => logFinding(log, feed, finding);
      const run = { caller: SYSTEM, verifyBefore, bytesPerSecond, signal, onFinding };
      const ended = await applyOciCheck(parts, run);
      if (ended.status === "busy") return;
      const { summary, orphans } = ended;
      log.info({ feed, ...summary, orphans: orphans.setAside }, "oci scrub has ended");
    },
  };
}

function logFinding(log: Log, feed: string, { type, ...finding }: CheckFinding): void {
  const said =
    type === "blob"
      ? "the object of an image layer is missing or changed; pushing the image again brings it anew"
      : "a manifest in the database does not have its digest";
  log.error({ feed, ...finding }, said);
}
