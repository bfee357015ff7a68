import type { Protocol } from "@sealhouse/request-types";
import type { Gauge, Registry } from "prom-client";
import { createCheckMetrics } from "./check-metrics.ts";
import type { CheckMetrics } from "./check-metrics.ts";
import { createGarbageMetrics } from "./garbage-metrics.ts";
import type { GarbageMetrics } from "./garbage-metrics.ts";
import { knownValues } from "@sealhouse/http-server";
import { createProcessMetrics, createRequestMetrics } from "@sealhouse/http-server/metrics";

/**
 * Metrics of `/metrics`. The three series of the specification have only the labels `feed` and
 * `type`; no label contains the name of a package.
 */
export type Metrics = {
  /** Two numbers in memory: cheap enough for every request. */
  count(type: Protocol, what: "push" | "pull"): void;
  /** Metrics of the container images of one segment; undefined for the default surface. */
  countSegment(segment: string | undefined, what: "push" | "pull"): void;
  readonly garbage: GarbageMetrics;
  readonly check: CheckMetrics;
  readonly requests: ReturnType<typeof createRequestMetrics<RequestSurface>>;
  counted(): Readonly<Record<Protocol, { readonly push: number; readonly pull: number }>>;
  /** Prometheus text exposition format, with the numbers of features. */
  render(
    numbers?: readonly AddNumbers[],
  ): Promise<{ readonly contentType: string; readonly text: string }>;
};

/** Adds the series of a feature, with the name of the feed as their label. */
export type AddNumbers = (registry: Registry, feed: string) => Promise<void>;

/** Sums of stored bytes in the database. */
export type Stored = {
  /** Metrics of container images. */
  readonly blobBytes: () => Promise<number>;
  /** Number of blobs whose object is missing or changed. */
  readonly blobsDamaged: Readonly<Record<Protocol, () => Promise<number>>>;
};

/** The part that answers a request: a protocol, the web pages, health and metrics, or the API of
 * administrators. */
const REQUEST_SURFACES = [
  "nuget",
  "npm",
  "oci",
  "console",
  "operations",
  "administration",
] as const;
export type RequestSurface = (typeof REQUEST_SURFACES)[number];

const TYPES = ["nuget", "npm", "oci"] as const satisfies readonly Protocol[];

/** The name of the default surface in the list of segments. */
const DEFAULT_SURFACE = "default";

/** Series exist from the start, at 0. Those of segments exist where there are segments. */
export function createMetrics(
  { feed, segments = [] }: { readonly feed: string; readonly segments?: readonly string[] },
  stored: Stored,
): Metrics {
  const names = segments.length > 0 ? [DEFAULT_SURFACE, ...segments] : [];
  const ofSegments = new Map(names.map((name) => [name, { push: 0, pull: 0 }]));
  const garbage = createGarbageMetrics(feed);
  const check = createCheckMetrics(feed);
  const requests = createRequestMetrics(REQUEST_SURFACES);
  const ofProcess = createProcessMetrics();
  const counts = {
    nuget: { push: 0, pull: 0 },
    npm: { push: 0, pull: 0 },
    oci: { push: 0, pull: 0 },
  };
  return {
    count(type, what) {
      counts[type][what] += 1;
    },
    countSegment(segment = DEFAULT_SURFACE, what) {
      const count = ofSegments.get(segment);
      if (count) count[what] += 1;
    },
    garbage,
    check,
    requests,
    counted: () => structuredClone(counts),
    async render(numbers = []) {
      // Imported here because most starts of the host see no scrape for a while.
      const { Counter, Gauge, Registry: PromRegistry } = await import("prom-client");
      const registry = new PromRegistry();
      const registers = [registry];
      const labelNames = ["feed", "type"] as const;
      const pushes = new Counter({ ...PUSHES, labelNames, registers });
      const pulls = new Counter({ ...PULLS, labelNames, registers });
      const bytes = new Gauge({ ...BYTES, labelNames, registers });
      for (const type of TYPES) {
        pushes.inc({ feed, type }, counts[type].push);
        pulls.inc({ feed, type }, counts[type].pull);
      }
      if (ofSegments.size > 0) {
        const of = { labelNames: ["feed", "segment"] as const, registers };
        const segmentPushes = new Counter({ ...SEGMENT_PUSHES, ...of });
        const segmentPulls = new Counter({ ...SEGMENT_PULLS, ...of });
        for (const [segment, { push, pull }] of ofSegments) {
          segmentPushes.inc({ feed, segment }, push);
          segmentPulls.inc({ feed, segment }, pull);
        }
      }
      const damaged = new Gauge({ ...DAMAGED, labelNames, registers });
      const images = new Gauge({ ...IMAGES_DAMAGED, labelNames, registers });
      const sums = await readSums(stored);
      setIfKnown(bytes, sums.blobBytes, { feed, type: "oci" });
      for (const type of TYPES) setIfKnown(damaged, sums[type], { feed, type });
      setIfKnown(images, sums.oci, { feed, type: "oci" });
      for (const add of numbers) await add(registry, feed);
      await garbage.addTo(registry);
      await check.addTo(registry);
      await requests.addTo(registry);
      const text = `${await registry.metrics()}${await ofProcess.text()}`;
      return { contentType: registry.contentType, text };
    },
  };
}

/** Time for all sums together: scrapers wait for ten seconds. */
const SUMS_MS_MAX = 2_000;

/** Reads the sums of the database; those that it does not answer in time are undefined. */
function readSums({ blobBytes, blobsDamaged }: Stored) {
  return knownValues({ blobBytes, ...blobsDamaged }, SUMS_MS_MAX);
}

/** Leaves the series out while the database does not answer: the others are worth having then. */
function setIfKnown(
  gauge: Gauge,
  value: number | undefined,
  labels: Readonly<Record<string, string>>,
): void {
  if (value !== undefined) gauge.set(labels, value);
}

const PUSHES = { name: "feed_push_total", help: "Completed top-level artifact uploads" };
const PULLS = { name: "feed_pull_total", help: "Completed top-level artifact downloads" };
const SEGMENT_PUSHES = {
  name: "oci_segment_push_total",
  help: "Completed uploads of OCI manifests by segment",
};
const SEGMENT_PULLS = { name: "oci_segment_pull_total", help: "Started OCI pulls by segment" };
const BYTES = {
  name: "blob_bytes_stored",
  help: "Bytes currently held in OCI content-addressed storage",
};
const DAMAGED = {
  name: "blobs_damaged",
  help: "Blobs whose object was found missing or changed",
};
const IMAGES_DAMAGED = {
  name: "oci_blobs_damaged",
  help: "The same for OCI alone, under its former name",
};
