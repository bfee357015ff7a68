import type { GarbageCatalog } from "@sealhouse/oci-distribution";
import type { OpenWrites } from "../../orm/first-write.ts";
import type { QueryPort } from "../../raw/query-port.ts";
import { readCandidates, readDying, readRepositories } from "./candidate-rows.ts";
import { createReports } from "./runs.ts";

/** The collector's catalog. Reads need no MikroORM. */
export function createGarbageCatalog(port: QueryPort, writes: OpenWrites): GarbageCatalog {
  return {
    ...createReports(port),
    repositories: (surface, page) => readRepositories(port, surface, page),
    candidates: (run, page) => readCandidates(port, run, page),
    dying: (limit, after) => readDying(port, limit, after),
    begin: async (run) => (await writes()).garbage.begin(run),
    mark: async (...asked) => (await writes()).garbage.mark(...asked),
    markLinks: async (...asked) => (await writes()).garbage.markLinks(...asked),
    markBlobs: async (...asked) => (await writes()).garbage.markBlobs(...asked),
    removeManifest: async (...asked) => (await writes()).garbage.removeManifest(...asked),
    removeLink: async (...asked) => (await writes()).garbage.removeLink(...asked),
    claimBlob: async (...asked) => (await writes()).garbage.claimBlob(...asked),
    forgetBlob: async (...asked) => (await writes()).garbage.forgetBlob(...asked),
    failBlob: async (...asked) => (await writes()).garbage.failBlob(...asked),
    finish: async (...asked) => (await writes()).garbage.finish(...asked),
  };
}
