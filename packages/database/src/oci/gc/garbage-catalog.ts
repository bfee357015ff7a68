import type { GarbageCatalog } from "@sealhouse/oci-distribution";
import type { OpenWrites } from "../../orm/lazy-writes.ts";
import type { QueryPort } from "../../raw/query-port.ts";
import { readCandidates, readClaimed, readRepositories } from "./candidate-rows.ts";
import { createReports } from "./runs.ts";

/** The ports of the collector. Reading needs no MikroORM. */
export function createGarbageCatalog(port: QueryPort, writes: OpenWrites): GarbageCatalog {
  const changes = async () => (await writes()).garbage;
  return {
    runs: {
      begin: async (run) => (await changes()).runs.begin(run),
      finish: async (...ended) => (await changes()).runs.finish(...ended),
    },
    marks: {
      repositories: (surface, page) => readRepositories(port, surface, page),
      mark: async (...step) => (await changes()).marks.mark(...step),
      markLinks: async (...step) => (await changes()).marks.markLinks(...step),
      markBlobs: async (...step) => (await changes()).marks.markBlobs(...step),
    },
    sweeps: {
      removeManifest: async (...step) => (await changes()).sweeps.removeManifest(...step),
      removeLink: async (...step) => (await changes()).sweeps.removeLink(...step),
      claimBlob: async (...step) => (await changes()).sweeps.claimBlob(...step),
      claimed: (limit, after) => readClaimed(port, limit, after),
      forgetBlob: async (...step) => (await changes()).sweeps.forgetBlob(...step),
      failBlob: async (...step) => (await changes()).sweeps.failBlob(...step),
    },
    reports: {
      ...createReports(port),
      candidates: (run, page) => readCandidates(port, run, page),
    },
  };
}
