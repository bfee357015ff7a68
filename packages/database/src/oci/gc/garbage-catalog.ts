import type { GarbageCatalog } from "@sealhouse/oci-distribution";
import type { PortContext } from "../../port-context.ts";
import { readCandidates, readClaimed, readRepositories } from "./candidate-rows.ts";
import { mark } from "./mark.ts";
import { createUnreferencedMarks } from "./mark-unreferenced.ts";
import { begin, createReports, finish } from "./runs.ts";
import { claimBlob, failBlob, forgetBlob, removeLink, removeManifest } from "./sweep.ts";

const PLAIN_PLANS = {
  name: "gc-plain-plans",
  sql: `select set_config('jit', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`,
};

/** Creates the ports of the image collector. */
export function createGarbageCatalog({
  type,
  port,
  changes,
}: Pick<PortContext, "type" | "port" | "changes">): GarbageCatalog {
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
      repositories: (surface, page) => readRepositories(port, surface, page),
      mark: (run, wanted) => mark({ changes, plainPlans }, run, wanted),
      markLinks: (...step) => unreferenced.markLinks(...step),
      markBlobs: (...step) => unreferenced.markBlobs(...step),
    },
    sweeps: {
      removeManifest: (run, candidate, untaggedSince, { stuck = false } = {}) =>
        removeManifest(changes, { run, candidate, untaggedSince, stuck }),
      removeLink: (run, candidate) => removeLink(changes, run, candidate),
      claimBlob: (run, candidate) => claimBlob(changes, run, candidate),
      claimed: (limit, after) => readClaimed(port, limit, after),
      forgetBlob: (run, blob) => forgetBlob(changes, run, blob),
      failBlob: (run, blob) => failBlob(changes, run, blob),
    },
    reports: {
      ...createReports(port),
      candidates: (run, page) => readCandidates(port, run, page),
    },
  };
}
