import { cacheFor } from "@sealhouse/http-server";
import { mirrorJobs } from "@sealhouse/upstream-sources";
import { SUMS_MS } from "../../operations/stored-sums.ts";
import { sourceHealth } from "../../operations/source-health.ts";
import { addSourceMetrics } from "../../operations/source-metrics.ts";
import type { FeatureModule } from "../feature.ts";

/** Package sources: the upkeep of what they sent, their numbers and failures. */
export const sources: FeatureModule = {
  open({ resources, content, now }) {
    const { upstream } = resources.database;
    const { mirror } = content;
    const { calls } = mirror;
    const numbers = {
      states: () => calls.states(),
      keptDocuments: cacheFor(SUMS_MS, () => upstream.documents.count()),
    };
    return {
      jobs: mirrorJobs({ ...upstream, calls, now }),
      numbers: (registry, feed) => addSourceMetrics(registry, feed, numbers),
      problems: () => sourceHealth(mirror, now()),
    };
  },
};
