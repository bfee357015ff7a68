import type { GarbageSweeps } from "@sealhouse/oci-distribution";
import { collectGarbage } from "@sealhouse/oci-distribution";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../../connection-string.ts";
import type { Database } from "../../database.ts";
import { openDatabase } from "../../open-database.ts";
import {
  fillImages,
  openTestPlace,
  leaveTestServers,
  testableDatabases,
} from "../../testing/index.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** One in four of 40 images has no tag: ten manifests, with ten blobs each. */
const IMAGES = { images: 40, untaggedEvery: 4, repositories: 3 };
const GARBAGE = 110;

type Filled = AsyncDisposable & {
  readonly instances: readonly [Database, Database];
  /** In the order in which objects were deleted. */
  readonly deleted: string[];
};

async function openFilled(type: DatabaseConfig["type"]): Promise<Filled> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await openTestPlace(type));
  await fillImages(place.config, { ...IMAGES, usedAt: new Date(Date.now() - 3 * DAY_MS) });
  const database = opened.use(await openDatabase(place.config));
  const other = opened.use(await openDatabase(place.config));
  const owned = opened.move();
  return {
    instances: [database, other],
    deleted: [],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function collect(
  { deleted }: Filled,
  { oci, leases }: Database,
  options: { readonly sweeps?: Partial<GarbageSweeps>; readonly dryRun?: true } = {},
) {
  const files = { delete: async (key: string) => void deleted.push(key) };
  const sweeps = { ...oci.garbage.sweeps, ...options.sweeps };
  const catalog = { ...oci.garbage, sweeps };
  return collectGarbage(
    { catalog, leases, files },
    {
      surface: { name: "default", notUnder: [] },
      dryRun: options.dryRun ?? false,
      minimumAgeMs: DAY_MS,
      clockThresholdMs: 3 * HOUR_MS,
      pause: async () => undefined,
    },
  );
}

const eventsOf = async ({ events }: Database) =>
  (await events.outbox.pending("test", 100)).filter(({ type }) => type === "gc.completed");

describe.each(testableDatabases())("collecting on %s", (type) => {
  test("one of two concurrent instances runs, with one event", async () => {
    await using filled = await openFilled(type);
    const { instances, deleted } = filled;
    const ends = await Promise.all(instances.map((instance) => collect(filled, instance)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["busy", "finished"]);
    const worked = ends.find(({ status }) => status === "finished");
    expect(worked).toMatchObject({ removed: { count: GARBAGE }, links: 100, kept: 0, failed: 0 });
    const bytes: unknown = expect.any(Number);
    expect(new Set(deleted).size).toBe(100);
    expect(await instances[0].blobs.usage("oci")).toBe(300 * 1_000);

    const [event, ...more] = await eventsOf(instances[0]);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      subject: "oci/default",
      caller: { actor: "system" },
      detail: {
        state: "finished",
        removed: GARBAGE,
        removedBytes: bytes,
        candidates: GARBAGE,
        candidateBytes: bytes,
      },
    });
    expect(event?.detail?.["candidateBytes"]).toBe(event?.detail?.["removedBytes"]);
    expect(await collect(filled, instances[1])).toMatchObject({ removed: { count: 0 } });
  });

  test("a dry run reports everything and changes nothing", async () => {
    await using filled = await openFilled(type);
    const [instance] = filled.instances;
    const ended = await collect(filled, instance, { dryRun: true });
    expect(ended).toMatchObject({ candidates: { count: GARBAGE }, removed: { count: 0 } });
    expect(filled.deleted).toEqual([]);
    expect(await instance.blobs.usage("oci")).toBe(400 * 1_000);
    expect(await eventsOf(instance)).toEqual([]);
    const [report] = await instance.oci.garbage.reports.reports(1);
    expect(report).toMatchObject({ state: "finished", dryRun: true, links: { count: 100 } });
  });

  test("the next run finishes a deletion that crashed after its claim", async () => {
    await using filled = await openFilled(type);
    const [crashing, next] = filled.instances;
    const forgetBlob = () => Promise.reject(new Error("killed"));
    await expect(collect(filled, crashing, { sweeps: { forgetBlob } })).rejects.toThrow("killed");
    expect(await next.oci.garbage.sweeps.claimed(10)).toHaveLength(1);
    const [report] = await next.oci.garbage.reports.reports(1);
    expect(report?.state).toBe("running");

    expect(await collect(filled, next)).toMatchObject({ resumed: 1, removed: { count: 99 } });
    expect(await next.oci.garbage.sweeps.claimed(10)).toEqual([]);
    expect(new Set(filled.deleted).size).toBe(100);
  });
});

afterAll(leaveTestServers);
