import type { Registry } from "prom-client";
import { loadPrometheus } from "./load-prometheus.ts";
import type { RequestObserver } from "./observe-requests.ts";

/** Counts, durations and response bytes of requests by surface, since this process began. */
export type RequestMetrics<Surface extends string = string> = RequestObserver<Surface> & {
  /** @throws PeerMissingError without the optional peer dependency `prom-client` */
  addTo(registry: Registry): Promise<void>;
};

/** Seconds. From a stored document (below 1 ms) to a large upload. */
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;
const CLASSES = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;

type Totals = { count: number; seconds: number; bytes: number; readonly buckets: number[] };

/** `surfaces`: the possible values of the label `surface`. */
export function createRequestMetrics<Surface extends string>(
  surfaces: readonly Surface[],
): RequestMetrics<Surface> {
  const totals = new Map(
    surfaces.map((surface) => [surface, CLASSES.map(() => emptyTotals())] as const),
  );
  return {
    observe(surface, { status, ms, bytes }) {
      const total = totals.get(surface)?.[Math.floor(status / 100)];
      if (!total) return;
      const seconds = ms / 1000;
      total.count += 1;
      total.seconds += seconds;
      total.bytes += bytes;
      const index = BOUNDS.findIndex((bound) => seconds <= bound);
      const bucket = index === -1 ? BOUNDS.length : index;
      total.buckets[bucket] = (total.buckets[bucket] ?? 0) + 1;
    },
    async addTo(registry) {
      const { Counter } = await loadPrometheus();
      const labelNames = ["surface", "status"] as const;
      const registers = [registry];
      const requests = new Counter({ ...REQUESTS, labelNames, registers });
      const sent = new Counter({ ...SENT, labelNames, registers });
      const durations: LabelledTotals[] = [];
      for (const [surface, classes] of totals) {
        for (const [index, total] of classes.entries()) {
          if (total.count === 0) continue;
          const labels = { surface, status: CLASSES[index] ?? "none" };
          requests.inc(labels, total.count);
          sent.inc(labels, total.bytes);
          durations.push({ labels, total });
        }
      }
      await addHistogram(registry, durations);
    },
  };
}

function emptyTotals(): Totals {
  return { count: 0, seconds: 0, bytes: 0, buckets: [...BOUNDS, 0].map(() => 0) };
}

type LabelledTotals = {
  readonly labels: { readonly surface: string; readonly status: string };
  readonly total: Totals;
};

/** A histogram whose numbers were counted elsewhere: `observe` of the library costs more than many
 * of our answers. */
async function addHistogram(registry: Registry, durations: readonly LabelledTotals[]) {
  const { Histogram } = await loadPrometheus();
  const { name, help } = DURATIONS;
  const values = durations.flatMap(({ labels, total }) => {
    let below = 0;
    const buckets = [...BOUNDS, "+Inf" as const].map((le, index) => {
      below += total.buckets[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: total.seconds },
      { metricName: `${name}_count`, labels, value: total.count },
    ];
  });
  class CountedHistogram extends Histogram {
    override async get() {
      return { ...(await super.get()), values };
    }
  }
  const labelNames = ["surface", "status"];
  registry.registerMetric(new CountedHistogram({ name, help, labelNames, registers: [] }));
}

const REQUESTS = {
  name: "http_requests_total",
  help: "Requests that have ended, by surface and status class",
};
const SENT = {
  name: "http_response_bytes_total",
  help: "Bytes sent to clients, heads included, by surface and status class",
};
const DURATIONS = {
  name: "http_request_duration_seconds",
  help: "Time from the head of a request to the end of its answer",
};
