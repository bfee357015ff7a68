import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { auditConsumer, openDelivery } from "@sealhouse/events";
import { PROTOCOLS } from "@sealhouse/identity";
import { openSchedule } from "@sealhouse/jobs";
import { openCatalogConsumer } from "@sealhouse/nuget-protocol";
import { sweepUploads } from "@sealhouse/oci-distribution";
import { sweepUnnamed } from "@sealhouse/storage-providers";
import type { FeedParts } from "./feed-parts.ts";
import { createHashableFiles } from "./hashable-files.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than the time between the last byte of an upload and the commit that names it. */
const GRACE_MS = 24 * HOUR_MS;
const POLL_MS = 5 * SECOND_MS;

/** Writes the audit log, the NuGet catalog and download counts, and deletes what unfinished uploads
 * left. */
export function openUpkeep(parts: FeedParts): AsyncDisposable {
  const { database, blobs, downloads, onError } = parts;
  const opened = new AsyncDisposableStack();
  const catalog = openCatalogConsumer(
    { ...database.nuget, hashable: createHashableFiles(blobs.nuget) },
    { signingEnabled: false },
  );
  const delivery = opened.use(
    openDelivery({
      outbox: database.events.outbox,
      consumers: [auditConsumer(database.events.audit), catalog],
      pollMs: POLL_MS,
      now: () => new Date(),
      onError({ error }) {
        const isStop = error instanceof Error && error.name === "AbortError";
        if (!isStop) onError(error);
      },
    }),
  );
  opened.use(catalog);
  opened.defer(database.events.onCommitted(() => delivery.wake()));
  const flush = { name: "download counts", firstAfterMs: MINUTE_MS, everyMs: MINUTE_MS };
  const sweep = { name: "sweep", firstAfterMs: 5 * MINUTE_MS, everyMs: HOUR_MS };
  opened.use(
    openSchedule(
      [
        { ...flush, run: () => downloads.flush() },
        { ...sweep, run: (signal) => sweepAll(parts, signal) },
      ],
      ({ error }) => onError(error),
    ),
  );
  return opened;
}

/** Deletes uploads that nobody continued for a day, and files without a row. */
export async function sweepAll(
  { database, store, blobs }: Pick<FeedParts, "database" | "store" | "blobs">,
  signal: AbortSignal,
): Promise<void> {
  const olderThan = new Date(Date.now() - GRACE_MS);
  const { uploads } = database.oci;
  await sweepUploads({ uploads, files: blobs.oci.uploads }, olderThan, signal);
  const hasSession = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => uploads.find(id)));
    return new Set(found.flatMap((session) => (session ? [session.id] : [])));
  };
  for (const prefix of PROTOCOLS) {
    await sweepUnnamed(store, {
      prefix,
      olderThan,
      isNamed: (keys) => database.blobs.isNamed(keys),
      ...(prefix === "oci" && { hasSession, blobs: "leave" }),
      signal,
    });
  }
}
