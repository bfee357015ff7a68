import type { GarbageCatalog, GarbageMarks, GarbageSweeps } from "@sealhouse/oci-distribution";
import type { DatabaseConfig } from "../../connection-string.ts";
import type { Changes } from "../../orm/changes.ts";
import { mark } from "./mark.ts";
import { createUnreferencedMarks } from "./mark-unreferenced.ts";
import { begin, finish } from "./runs.ts";
import { claimBlob, failBlob, forgetBlob, removeLink, removeManifest } from "./sweep.ts";

const PLAIN_PLANS = {
  name: "gc-plain-plans",
  sql: `select set_config('jit', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`,
};

/** The methods that write. */
export type GarbageChanges = Pick<GarbageCatalog, "runs"> & {
  readonly marks: Omit<GarbageMarks, "repositories">;
  readonly sweeps: Omit<GarbageSweeps, "claimed">;
};

export function createGarbageChanges(
  changes: Changes,
  type: DatabaseConfig["type"],
): GarbageChanges {
  const plainPlans = type === "PostgreSQL" ? PLAIN_PLANS : undefined;
  const comparesRows = type !== "MySql";
  const unreferenced = createUnreferencedMarks({ changes, plainPlans, comparesRows });
  return {
    runs: {
      begin: (run) => begin(changes, run),
      async finish(run, end) {
        await finish(changes, run, end);
        unreferenced.forget(run.id);
      },
    },
    marks: {
      mark: (run, wanted) => mark({ changes, plainPlans }, run, wanted),
      markLinks: (...step) => unreferenced.markLinks(...step),
      markBlobs: (...step) => unreferenced.markBlobs(...step),
    },
    sweeps: {
      removeManifest: (run, candidate, untaggedSince, { stuck = false } = {}) =>
        removeManifest(changes, { run, candidate, untaggedSince, stuck }),
      removeLink: (run, candidate) => removeLink(changes, run, candidate),
      claimBlob: (run, candidate) => claimBlob(changes, run, candidate),
      forgetBlob: (run, blob) => forgetBlob(changes, run, blob),
      failBlob: (run, blob) => failBlob(changes, run, blob),
    },
  };
}
