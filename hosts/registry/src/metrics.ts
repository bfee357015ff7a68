import type { Protocol } from "@sealhouse/identity";

/** The three metrics of the specification. Labels are `feed` and `type`, and nothing else. */
export type Metrics = {
  /** Two numbers in memory: cheap enough for every request. */
  count(type: Protocol, what: "push" | "pull"): void;
  counted(): Readonly<Record<Protocol, { readonly push: number; readonly pull: number }>>;
  /** Prometheus text exposition format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
};

const TYPES = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

/** Series exist from the start, at 0. `blobBytes` is asked at every scrape. */
export function createMetrics(feed: string, blobBytes: () => Promise<number>): Metrics {
  const counts = {
    nuget: { push: 0, pull: 0 },
    npm: { push: 0, pull: 0 },
    oci: { push: 0, pull: 0 },
  };
  return {
    count(type, what) {
      counts[type][what] += 1;
    },
    counted: () => structuredClone(counts),
    async render() {
      // Imported here because most starts of the host see no scrape for a while.
      const { Counter, Gauge, Registry } = await import("prom-client");
      const registry = new Registry();
      const registers = [registry];
      const labelNames = ["feed", "type"] as const;
      const pushes = new Counter({ ...PUSHES, labelNames, registers });
      const pulls = new Counter({ ...PULLS, labelNames, registers });
      const bytes = new Gauge({ ...BYTES, labelNames, registers });
      for (const type of TYPES) {
        pushes.inc({ feed, type }, counts[type].push);
        pulls.inc({ feed, type }, counts[type].pull);
      }
      bytes.set({ feed, type: "oci" }, await blobBytes());
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

const PUSHES = { name: "feed_push_total", help: "Completed top-level artifact uploads" };
const PULLS = { name: "feed_pull_total", help: "Completed top-level artifact downloads" };
const BYTES = {
  name: "blob_bytes_stored",
  help: "Bytes currently held in OCI content-addressed storage",
};
