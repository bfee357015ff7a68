import type { EndedRun } from "@sealhouse/oci-distribution";
import type { Registry } from "prom-client";

/** Totals of the garbage collector of container images since the start of the process. */
export type GarbageMetrics = {
  ended(run: EndedRun): void;
  /** Nothing before the first run. */
  addTo(registry: Registry): Promise<void>;
};

type OfSurface = {
  readonly states: Map<string, number>;
  removed: number;
  removedBytes: number;
  candidates: number;
  candidateBytes: number;
};

export function createGarbageMetrics(feed: string): GarbageMetrics {
  const surfaces = new Map<string, OfSurface>();
  return {
    ended({ surface, status, removed, candidates }) {
      const counts = surfaces.get(surface) ?? { ...NOTHING, states: new Map() };
      surfaces.set(surface, counts);
      counts.states.set(status, (counts.states.get(status) ?? 0) + 1);
      counts.removed += removed.count;
      counts.removedBytes += removed.bytes;
      counts.candidates = candidates.count;
      counts.candidateBytes = candidates.bytes;
    },
    async addTo(registry) {
      if (surfaces.size === 0) return;
      const { Counter, Gauge } = await import("prom-client");
      const registers = [registry];
      const labelNames = ["feed", "surface"] as const;
      const runs = new Counter({ ...RUNS, labelNames: [...labelNames, "state"], registers });
      const removed = new Counter({ ...REMOVED, labelNames, registers });
      const removedBytes = new Counter({ ...REMOVED_BYTES, labelNames, registers });
      const candidates = new Gauge({ ...CANDIDATES, labelNames, registers });
      const candidateBytes = new Gauge({ ...CANDIDATE_BYTES, labelNames, registers });
      for (const [surface, ended] of surfaces) {
        const labels = { feed, surface };
        for (const [state, count] of ended.states) runs.inc({ ...labels, state }, count);
        removed.inc(labels, ended.removed);
        removedBytes.inc(labels, ended.removedBytes);
        candidates.set(labels, ended.candidates);
        candidateBytes.set(labels, ended.candidateBytes);
      }
    },
  };
}

const NOTHING = { removed: 0, removedBytes: 0, candidates: 0, candidateBytes: 0 };
const RUNS = { name: "oci_gc_runs_total", help: "Runs of the OCI garbage collector by outcome" };
const REMOVED = {
  name: "oci_gc_removed_total",
  help: "Manifests and blobs that the OCI garbage collector removed",
};
const REMOVED_BYTES = {
  name: "oci_gc_removed_bytes_total",
  help: "Bytes that the OCI garbage collector removed",
};
const CANDIDATES = {
  name: "oci_gc_candidates",
  help: "Manifests and blobs that the last OCI garbage collection found",
};
const CANDIDATE_BYTES = {
  name: "oci_gc_candidate_bytes",
  help: "Bytes that the last OCI garbage collection found",
};
