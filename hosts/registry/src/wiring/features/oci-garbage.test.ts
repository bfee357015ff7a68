import { parseRepositoryName, garbageJob } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { openTestDatabase } from "@sealhouse/database/testing";
import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { createMetrics } from "../../operations/metrics.ts";
import { loadConfig } from "../../settings/load.ts";

const DAY_MS = 24 * 60 * 60_000;
const NEVER = new AbortController().signal;
const SWITCHED_ON = {
  Feed__Oci__Default__Enabled: "true",
  Feed__Oci__Acme__Enabled: "true",
  Feed__Operations__OciGarbageCollection__Enabled: "true",
};

/** An image in each surface that has no tag, and one that has. */
async function openImages(
  env: Readonly<Record<string, string>>,
  { broken, outage }: { readonly broken?: string; readonly outage?: Error } = {},
) {
  const opened = new AsyncDisposableStack();
  let time = Date.UTC(2026, 0, 2);
  const now = () => new Date(time);
  const database = opened.use(await openTestDatabase({ now }));
  const { blobs, manifests } = database.oci;
  for (const name of ["acme/app", "other"]) {
    for (const tags of [[], ["1"]]) {
      const repository = parseRepositoryName(name);
      const { digest, bytes, mediaType } = buildImage({ config: JSON.stringify({ name, tags }) });
      const manifest = { repository, digest, bytes, mediaType, edges: [], tags };
      await manifests.record(manifest, { actor: "me" });
      const size = bytes.length;
      await blobs.link(repository, { digest, size, key: `oci/blobs/${name}/${tags.length}` });
    }
  }
  time += 2 * DAY_MS;
  const { config } = loadConfig({
    env: { ...env, ASPNETCORE_ENVIRONMENT: "Development" },
    args: [],
    workingFolder: "/",
    extensions: [],
  });
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  const none = async () => 0;
  const blobsDamaged = { nuget: none, npm: none, oci: none };
  const metrics = createMetrics({ feed: "default" }, { blobBytes: none, blobsDamaged });
  const deleted: string[] = [];
  const files = {
    async delete(key: string) {
      if (outage) throw outage;
      deleted.push(key);
    },
  };
  const { garbage } = database.oci;
  const mark: typeof garbage.marks.mark = async (run, target) => {
    if (target.repository !== broken) return garbage.marks.mark(run, target);
    return { status: "broken", manifest: buildImage().digest };
  };
  const job = garbageJob({
    config,
    catalog: { ...garbage, marks: { ...garbage.marks, mark } },
    leases: database.leases,
    files,
    now,
    log,
    onEnd: (run) => metrics.garbage.ended(run),
  });
  const logged = () => lines.map((line): unknown => JSON.parse(line));
  return { opened, database, job, logged, deleted, metrics };
}

test("the job collects each surface separately, and reports the results", async () => {
  const env = { ...SWITCHED_ON, Feed__Operations__OciGarbageCollection__DryRun: "false" };
  const { opened, database, job, logged, deleted, metrics } = await openImages(env);
  await using _ = opened;
  await job?.run(NEVER);
  const common = { feed: "default", dryRun: false, status: "finished", kept: 0, failed: 0 };
  expect(logged()).toMatchObject([
    { ...common, segment: null, surface: "default", candidates: 3, links: 2, removed: 3 },
    { ...common, segment: "acme", surface: "acme", candidates: 3, links: 2, removed: 3 },
  ]);
  expect(deleted).toHaveLength(4);
  const events = await database.events.outbox.pending("test", 100);
  const ends = events.filter(({ type }) => type === "gc.completed");
  expect(ends.map(({ subject }) => subject)).toEqual(["oci/default", "oci/acme"]);
  const { text } = await metrics.render();
  const labels = 'feed="default",surface="acme"';
  expect(text).toContain(`oci_gc_runs_total{${labels},state="finished"} 1`);
  expect(text).toContain(`oci_gc_removed_total{${labels}} 3`);
});

test("only reports what would be deleted by default", async () => {
  const { opened, database, job, logged, deleted } = await openImages(SWITCHED_ON);
  await using _ = opened;
  await job?.run(NEVER);
  expect(logged()).toMatchObject([
    { dryRun: true, candidates: 3, removed: 0, candidateBytes: expect.any(Number) },
    { dryRun: true, candidates: 3, removed: 0 },
  ]);
  expect(deleted).toEqual([]);
  const reports = await database.oci.garbage.reports.reports(10);
  expect(reports.map(({ surface }) => surface).toSorted()).toEqual(["acme", "default"]);
});

test.each([
  ["1.00:00:00", 3],
  ["3.00:00:00", 2],
])("with Feed__History__KeepContent=%s, %i objects are old enough", async (span, candidates) => {
  const env = { ...SWITCHED_ON, Feed__History__KeepContent: span };
  const { opened, job, logged } = await openImages(env);
  await using _ = opened;
  await job?.run(NEVER);
  expect(logged()).toMatchObject([{ candidates }, { candidates }]);
});

test("reports an object that it cannot delete, with the reason", async () => {
  const env = { ...SWITCHED_ON, Feed__Operations__OciGarbageCollection__DryRun: "false" };
  const { opened, job, logged } = await openImages(env, { outage: new Error("disk is read-only") });
  await using _ = opened;
  await job?.run(NEVER);
  const [first] = logged();
  expect(first).toMatchObject({
    feed: "default",
    key: expect.stringMatching(/^oci\/blobs\//),
    err: { message: "disk is read-only" },
  });
  expect(logged()).toContainEqual(expect.objectContaining({ surface: "default", failed: 2 }));
});

test("collects other surfaces when the images of one are unreadable", async () => {
  const env = { ...SWITCHED_ON, Feed__Operations__OciGarbageCollection__DryRun: "false" };
  const { opened, job, logged } = await openImages(env, { broken: "other" });
  await using _ = opened;
  await job?.run(NEVER);
  expect(logged()).toMatchObject([
    { surface: "default", status: "aborted", removed: 0, error: expect.stringContaining("other@") },
    { surface: "acme", status: "finished", removed: 3 },
  ]);
});

test("has no job by default", async () => {
  const off = { ...SWITCHED_ON, Feed__Operations__OciGarbageCollection__Enabled: "false" };
  const { opened, job } = await openImages(off);
  await using _ = opened;
  expect(job).toBeUndefined();
});
