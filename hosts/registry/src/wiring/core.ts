import type { ShownSettings } from "@sealhouse/administration";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { openDownloadCounts } from "@sealhouse/database";
import type { DownloadCounts } from "@sealhouse/database";
import type { DescribeUnavailable } from "@sealhouse/http-responses";
import { segmentNames } from "@sealhouse/oci-distribution/settings";
import type { Extension } from "../extension.ts";
import { openEdge } from "../http/edge.ts";
import type { Edge } from "../http/edge.ts";
import { describeUnavailable } from "../http/unavailable.ts";
import type { Log } from "../log.ts";
import { createMetrics } from "../operations/metrics.ts";
import type { Metrics, Stored } from "../operations/metrics.ts";
import { storedSums } from "../operations/stored-sums.ts";
import type { Config } from "../settings/config.ts";
import { openAccess } from "./access/access.ts";
import type { Access } from "./access/access.ts";
import { openContent } from "./content/content.ts";
import type { Content } from "./content/content.ts";
import { openResources } from "./resources/registry-resources.ts";
import type { RegistryResources } from "./resources/registry-resources.ts";

/** Decisions of the program that opens a registry. */
export type CoreOptions = {
  readonly log: Log;
  readonly extensions?: readonly Extension[] | undefined;
  readonly now: () => Date;
  /** Aborted when the host is asked to stop; ends the waiting for the database, too. */
  readonly stop?: AbortSignal | undefined;
  /** The settings in force, where the program shows them to administrators. */
  readonly shownSettings?: (() => ShownSettings) | undefined;
};

/** The parts that all features share. Each level is opened with those above it. */
export type Core = AsyncDisposable & {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
  readonly stop: AbortSignal | undefined;
  readonly shownSettings: (() => ShownSettings) | undefined;
  /** Bytes, rows and keys. */
  readonly resources: RegistryResources;
  /** Decisions about a request before any feature sees it. */
  readonly edge: Edge;
  /** Who may do what. */
  readonly access: Access;
  /** The packages of this registry and of its sources. */
  readonly content: Content;
  readonly metrics: Metrics;
  readonly sums: Stored;
  readonly downloads: DownloadCounts;
  /** Describes outages to clients, and logs them. */
  readonly unavailable: DescribeUnavailable;
};

/**
 * Opens what all features share; disposal closes it in reverse order.
 *
 * @throws ForeignStorageError
 * @throws RefusedSourceError
 */
export async function openCore(
  config: Config,
  { log, extensions = [], now, stop, shownSettings }: CoreOptions,
): Promise<Core> {
  await using opened = new AsyncDisposableStack();
  const { databaseStartTimeoutMs: databaseTimeoutMs } = config;
  const resources = opened.use(
    await openResources(config, { log, extensions, now, databaseTimeoutMs, stop }),
  );
  await resources.signing.start();
  const { database } = resources;
  const edge = openEdge(config);
  const { contexts } = edge;
  const access = opened.use(await openAccess({ config, resources, contexts, log, now }));
  const content = opened.use(await openContent({ config, resources, contexts, log, now }));
  const downloads = opened.use(
    openDownloadCounts({
      write: (counts) => database.downloads.add(counts),
      onError: (error) => log.warn({ err: error }, "download counts could not be written yet"),
    }),
  );
  const sums = storedSums(database.blobs);
  const { name: feed, oci } = config.feed;
  const metrics = createMetrics({ feed, segments: segmentNames(oci) }, sums);
  const unavailable = describeUnavailable(log);
  const owned = opened.move();
  return {
    config,
    log,
    now,
    stop,
    shownSettings,
    resources,
    edge,
    access,
    content,
    metrics,
    sums,
    downloads,
    unavailable,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
