import type { Database } from "@sealhouse/database";
import { collectGarbage, keepUntaggedMs } from "@sealhouse/oci-distribution";
import type { Collected, GarbageFiles, Surface } from "@sealhouse/oci-distribution";
import type { EndedRun } from "../garbage-metrics.ts";
import type { Job } from "@sealhouse/jobs";
import type { Log } from "../log.ts";
import type { Config } from "../settings/config.ts";
import { clockThresholdMs } from "@sealhouse/oci-distribution/settings";
import { surfacesOf } from "./oci-surfaces.ts";
import { throttledCatalog } from "./throttled-catalog.ts";

export type GarbageParts = {
  readonly config: Config;
  readonly database: Pick<Database, "oci" | "leases">;
  readonly files: GarbageFiles;
  readonly now: () => Date;
};

export type GarbageRun = {
  readonly surface: Surface;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Nothing but what is in this report goes. */
  readonly reviewed?: string;
  /** The object of that key could not be deleted. */
  readonly onFailure: (key: string, error: unknown) => void;
};

const MINUTE_MS = 60_000;
const FAILURES_TOLD_MAX = 10;

/** One run over one surface, with the settings of the host. */
export function collectSurface(parts: GarbageParts, run: GarbageRun): Promise<Collected> {
  const { database, files, now } = parts;
  const { ociGarbage, ociTags } = parts.config;
  const { minimumAgeMs, keepUntaggedMs: otherwise } = ociGarbage;
  const catalog = throttledCatalog(database.oci.garbage);
  const collector = { catalog, files, leases: database.leases };
  return collectGarbage(collector, {
    ...run,
    minimumAgeMs,
    clockThresholdMs: clockThresholdMs(ociGarbage),
    keepUntaggedMs: (repository) => keepUntaggedMs(ociTags.rules, repository) ?? otherwise,
    now: () => now().getTime(),
  });
}

/** The scheduled run over all surfaces, one after the other; undefined when it is off. */
export function garbageJob(
  parts: GarbageParts & {
    readonly log: Log;
    readonly onEnd: (run: EndedRun) => void;
  },
): Job | undefined {
  const { config, log, onEnd } = parts;
  const { enabled, dryRun, everyMs } = config.ociGarbage;
  const { name: feed } = config.feed;
  if (!enabled) return undefined;
  return {
    name: "oci garbage collection",
    everyMs,
    firstAfterMs: Math.min(everyMs, 5 * MINUTE_MS),
    async run(signal) {
      for (const surface of surfacesOf(config)) {
        if (signal.aborted) return;
        const onFailure = failureLog(log, feed);
        try {
          const ended = await collectSurface(parts, { surface, dryRun, signal, onFailure });
          logRun(log, feed, ended);
          if ("id" in ended) onEnd(ended);
        } catch (error) {
          // One surface does not keep another from being collected.
          const segment = "segment" in surface ? surface.segment : null;
          const fields = { feed, segment, dryRun, err: error };
          log.error(fields, "oci garbage collection failed");
        }
      }
    },
  };
}

/** A storage that is out fails for every object of a run; its end tells how many there were. */
function failureLog(log: Log, feed: string): GarbageRun["onFailure"] {
  let failures = 0;
  return (key, error) => {
    failures += 1;
    if (failures > FAILURES_TOLD_MAX) return;
    log.warn({ feed, key, err: error }, "garbage could not be deleted; the next run tries again");
  };
}

/** Other instances run it, too: that one is busy is no news. */
function logRun(log: Log, feed: string, ended: Collected): void {
  if (!("id" in ended)) return;
  const { candidates, removed, segment = null, status, id, dryRun, ...rest } = ended;
  const fields = {
    feed,
    segment,
    run: id,
    status,
    dryRun,
    candidates: candidates.count,
    candidateBytes: candidates.bytes,
    removed: removed.count,
    removedBytes: removed.bytes,
    ...rest,
  };
  if (status === "aborted") log.error(fields, "oci garbage collection was aborted");
  else log.info(fields, "oci garbage collection has ended");
}
