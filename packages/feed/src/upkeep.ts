import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import type { Database } from "@sealhouse/database";
import { auditConsumer, openDelivery } from "@sealhouse/events";
import type { Consumer, DeliveryFailure } from "@sealhouse/events";
import { openSchedule } from "@sealhouse/jobs";
import type { Job, JobFailure } from "@sealhouse/jobs";
import { openCatalogConsumer } from "@sealhouse/nuget-protocol";
import type { HashableFiles } from "@sealhouse/nuget-protocol";

/** Other instances write events, too. */
const POLL_MS = 5_000;
/** Events of one publish come in a row. A batch takes each consumer two queries or more. */
const GATHER_MS = 250;

/** The ports and jobs of the background work of a feed. */
export type UpkeepParts = {
  readonly database: Pick<Database, "events" | "nuget">;
  /** NuGet packages without stored hashes. */
  readonly hashable: HashableFiles;
  /** Whether the feed signs NuGet packages. */
  readonly signingEnabled: boolean;
  /** Consumers of events besides the audit log and the NuGet catalog; disposed of at the end. */
  readonly consumers?: readonly (Consumer & Partial<Disposable>)[];
  readonly jobs: readonly Job[];
  readonly now: () => Date;
  /** Receives failed deliveries, which are retried. Must not throw. */
  readonly onDeliveryFailure: (failure: DeliveryFailure) => void;
  /** Receives failed runs of jobs. Must not throw. */
  readonly onJobFailure: (failure: JobFailure) => void;
};

/** Delivers events to the audit log, the NuGet catalog and other consumers, and runs the jobs.
 * Disposal stops both in order and waits for them. */
export function openUpkeep(parts: UpkeepParts): AsyncDisposable {
  const { database, hashable, signingEnabled, jobs, now } = parts;
  const opened = new AsyncDisposableStack();
  const catalog = openCatalogConsumer({ ...database.nuget, hashable }, { signingEnabled });
  const consumers = [catalog, ...(parts.consumers ?? [])];
  const delivery = opened.use(
    openDelivery({
      outbox: database.events.outbox,
      parked: database.events.parked,
      consumers: [auditConsumer(database.events.audit), ...consumers],
      pollMs: POLL_MS,
      gatherMs: GATHER_MS,
      now,
      onError(failure) {
        const { error } = failure;
        const isStop = error instanceof Error && error.name === "AbortError";
        if (!isStop) parts.onDeliveryFailure(failure);
      },
    }),
  );
  for (const consumer of consumers) opened.defer(() => consumer[Symbol.dispose]?.());
  opened.defer(database.events.onCommitted(() => delivery.wake()));
  opened.use(openSchedule(jobs, parts.onJobFailure));
  return opened;
}
