import type { Job, Leases } from "@sealhouse/jobs";
import { keepUntaggedMs } from "../retention/tag-rules.ts";
import type { TagRule } from "../retention/tag-rules.ts";
import { clockThresholdMs } from "../settings/parse-garbage.ts";
import type { OciGarbageConfig } from "../settings/parse-garbage.ts";
import type { OciConfig } from "../settings/parse-oci.ts";
import { surfacesOf } from "../settings/surfaces-of.ts";
import { collectGarbage } from "./collect.ts";
import type { Collected } from "./collect.ts";
import type { GarbageCatalog, GarbageFiles, Surface } from "./ports.ts";
import { throttledCatalog } from "./throttled-catalog.ts";

/** The settings that the collector of a feed needs. */
export type GarbageConfig = {
  readonly ociGarbage: OciGarbageConfig;
  /** Milliseconds for which views as of a time still show what lost its tag or was deleted. */
  readonly keepContentMs?: number;
  readonly ociTags: { readonly rules: readonly TagRule[] };
  readonly feed: {
    readonly name: string;
    readonly oci: Pick<OciConfig, "hasDefault" | "segments">;
  };
};

/** The settings and ports of the collector of a feed. */
export type GarbageParts = {
  readonly config: GarbageConfig;
  readonly catalog: GarbageCatalog;
  readonly leases: Leases;
  readonly files: GarbageFiles;
  readonly now: () => Date;
};

/** A run that has an id and a report. */
export type EndedRun = Extract<Collected, { readonly id: string }>;

export type GarbageLog = Readonly<
  Record<"info" | "warn" | "error", (fields: object, message: string) => void>
>;

/** A run over one surface. */
export type GarbageRun = {
  readonly surface: Surface;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Id of a report; only its entries are deleted. */
  readonly reviewed?: string;
  /** Called with the key of an object that could not be deleted. */
  readonly onFailure: (key: string, error: unknown) => void;
};

const MINUTE_MS = 60_000;
const FAILURES_LOGGED_MAX = 10;

/** Runs the collector over one surface. */
export function collectSurface(parts: GarbageParts, run: GarbageRun): Promise<Collected> {
  const { catalog, leases, files, now } = parts;
  const { ociGarbage, ociTags, keepContentMs = 0 } = parts.config;
  const { minimumAgeMs, keepUntaggedMs: otherwise } = ociGarbage;
  const collector = { catalog: throttledCatalog(catalog), files, leases };
  return collectGarbage(collector, {
    ...run,
    minimumAgeMs,
    clockThresholdMs: clockThresholdMs(ociGarbage),
    keepUntaggedMs: (repository) =>
      Math.max(keepContentMs, keepUntaggedMs(ociTags.rules, repository) ?? otherwise),
    now: () => now().getTime(),
  });
}

/** The scheduled run over all surfaces; undefined while collection is disabled. */
export function garbageJob(
  parts: GarbageParts & {
    readonly log: GarbageLog;
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
      for (const surface of surfacesOf(config.feed.oci)) {
        if (signal.aborted) return;
        const onFailure = failureLog(log, feed);
        try {
          const ended = await collectSurface(parts, { surface, dryRun, signal, onFailure });
          logRun(log, feed, ended);
          if ("id" in ended) onEnd(ended);
        } catch (error) {
          // A failure must not prevent the collection of the other surfaces.
          const segment = "segment" in surface ? surface.segment : null;
          const fields = { feed, segment, dryRun, err: error };
          log.error(fields, "oci garbage collection failed");
        }
      }
    },
  };
}

/** Logs the first failures; a storage that is down fails for each object. */
function failureLog(log: GarbageLog, feed: string): GarbageRun["onFailure"] {
  let failures = 0;
  return (key, error) => {
    failures += 1;
    if (failures > FAILURES_LOGGED_MAX) return;
    log.warn(
      { feed, key, err: error },
      "could not delete an unreferenced object; the next run will retry",
    );
  };
}

/** Logs a run that ended; a surface that another instance collects is not logged. */
function logRun(log: GarbageLog, feed: string, ended: Collected): void {
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
