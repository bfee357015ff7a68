import type { Registry } from "prom-client";
import { cacheFor } from "./cache-for.ts";
import { loadPrometheus } from "./load-prometheus.ts";

/** Counts named as counters are, which `promtool check metrics` refuses. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/**
 * Metrics of the process and its event loop. They start at the first scrape: a host without a
 * scraper need not watch its event loop.
 *
 * @throws PeerMissingError (from `text`) without the optional peer dependency `prom-client`
 */
export function createProcessMetrics(): { text(): Promise<string> } {
  const opened = cacheFor(Number.POSITIVE_INFINITY, openRegistry);
  return { text: async () => (await opened()).metrics() };
}

async function openRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry: NewRegistry } = await loadPrometheus();
  const registry = new NewRegistry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}
