import type { GarbageCatalog } from "@sealhouse/oci-distribution";
import type { PortContext } from "../../port-context.ts";
import { readCandidates, readClaimed, readRepositories } from "./candidate-rows.ts";
import { mark } from "./mark.ts";
import { createUnreferencedMarks } from "./mark-unreferenced.ts";
import { createReports, createRuns } from "./runs.ts";
import { createSweeps } from "./sweep.ts";

/** Creates the ports of the image collector. */
export function createGarbageCatalog(
  context: Pick<PortContext, "type" | "queries" | "changes">,
): GarbageCatalog {
  const { queries, changes } = context;
  const unreferenced = createUnreferencedMarks(context);
  const runs = createRuns(changes);
  return {
    runs: {
      begin: (run) => runs.begin(run),
      async finish(run, end) {
        await runs.finish(run, end);
        unreferenced.forget(run.id);
      },
    },
    marks: {
      repositories: (surface, page) => readRepositories(queries, surface, page),
      mark: (run, repository) => mark(context, run, repository),
      markLinks: (...step) => unreferenced.markLinks(...step),
      markBlobs: (...step) => unreferenced.markBlobs(...step),
    },
    sweeps: {
      ...createSweeps(changes),
      claimed: (limit, after) => readClaimed(queries, limit, after),
    },
    reports: {
      ...createReports(queries),
      candidates: (run, page) => readCandidates(queries, run, page),
    },
  };
}
