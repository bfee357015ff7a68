// Metrics for Prometheus. A separate entry, because they need the optional peer dependency
// `prom-client`, and so do their types.
export { createProcessMetrics } from "./process-metrics.ts";
export { createRequestMetrics } from "./request-metrics.ts";
export type { RequestMetrics } from "./request-metrics.ts";
