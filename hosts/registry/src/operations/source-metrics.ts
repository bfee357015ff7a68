import type { CallState } from "@sealhouse/upstream-sources";
import type { Registry } from "prom-client";

/** Numbers about package sources. */
export type SourceNumbers = {
  /** Calls of this process, by name of the source. */
  readonly states: () => ReadonlyMap<string, CallState>;
  /** Number of the documents of sources in the database. */
  readonly keptDocuments: () => Promise<number>;
};

/** Adds the metrics of package sources; none before the first call to a source. */
export async function addSourceMetrics(
  registry: Registry,
  feed: string,
  { states, keptDocuments }: SourceNumbers,
): Promise<void> {
  const known = states();
  if (known.size === 0) return;
  const { Counter, Gauge } = await import("prom-client");
  const of = { labelNames: ["feed", "source"] as const, registers: [registry] };
  const calls = new Counter({ ...CALLS, ...of });
  const failures = new Counter({ ...FAILURES, ...of });
  const paused = new Gauge({ ...PAUSED, ...of });
  for (const [source, state] of known) {
    calls.inc({ feed, source }, state.calls);
    failures.inc({ feed, source }, state.failedCalls);
    paused.set({ feed, source }, state.pausedForMs > 0 ? 1 : 0);
  }
  const documents = new Gauge({ ...DOCUMENTS, labelNames: ["feed"], registers: [registry] });
  try {
    documents.set({ feed }, await keptDocuments());
  } catch {
    // The other numbers are worth having while the database does not answer.
    registry.removeSingleMetric(DOCUMENTS.name);
  }
}

const CALLS = { name: "upstream_calls_total", help: "Calls to a package source" };
const FAILURES = {
  name: "upstream_failed_calls_total",
  help: "Calls to a package source that failed",
};
const PAUSED = {
  name: "upstream_paused",
  help: "1 while a package source is not called because it keeps failing, otherwise 0",
};
const DOCUMENTS = {
  name: "upstream_documents",
  help: "Stored documents of all package sources",
};
