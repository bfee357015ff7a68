import type { GarbageCatalog } from "@sealhouse/oci-distribution";
import type { DatabaseConfig } from "../../connection-string.ts";
import type { Changes } from "../../orm/changes.ts";
import { mark } from "./mark.ts";
import { createUnneededMarks } from "./mark-unneeded.ts";
import { begin, finish } from "./runs.ts";
import { claimBlob, failBlob, forgetBlob, removeLink, removeManifest } from "./sweep.ts";

type Reading = "repositories" | "candidates" | "dying" | "report" | "reports";

const PLAIN_PLANS = {
  name: "gc-plain-plans",
  sql: `select set_config('jit', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`,
};

export type GarbageChanges = Omit<GarbageCatalog, Reading>;

export function createGarbageChanges(
  changes: Changes,
  type: DatabaseConfig["type"],
): GarbageChanges {
  const plainPlans = type === "PostgreSQL" ? PLAIN_PLANS : undefined;
  const comparesRows = type !== "MySql";
  const unneeded = createUnneededMarks({ changes, plainPlans, comparesRows });
  return {
    begin: (run) => begin(changes, run),
    mark: (run, wanted) => mark({ changes, plainPlans }, run, wanted),
    markLinks: (...asked) => unneeded.markLinks(...asked),
    markBlobs: (...asked) => unneeded.markBlobs(...asked),
    removeManifest: (run, candidate, untaggedSince, { stuck = false } = {}) =>
      removeManifest(changes, { run, candidate, untaggedSince, stuck }),
    removeLink: (run, candidate) => removeLink(changes, run, candidate),
    claimBlob: (run, candidate) => claimBlob(changes, run, candidate),
    forgetBlob: (run, blob) => forgetBlob(changes, run, blob),
    failBlob: (run, blob) => failBlob(changes, run, blob),
    async finish(run, end) {
      await finish(changes, run, end);
      unneeded.forget(run.id);
    },
  };
}
