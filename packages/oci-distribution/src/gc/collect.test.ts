import { LostLeaseError } from "@sealhouse/jobs";
import { expect, onTestFinished, test, vi } from "vitest";
import { digestOf } from "../digest.ts";
import type { MemoryCatalog } from "../testing/memory-catalog.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { buildIndex } from "../testing/build-image.ts";
import { allow, caller, newBlob, repository } from "../testing/contract/contract-case.ts";
import { image, push } from "../testing/contract/gc-case.ts";
import type { CollectOptions, Collected } from "./collect.ts";
import { collectGarbage } from "./collect.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const app = repository("app");

type Registry = MemoryCatalog & {
  readonly deleted: string[];
  readonly wait: (ms: number) => void;
  readonly collect: (options?: Partial<CollectOptions>) => Promise<Collected>;
  /** The keys whose objects cannot be deleted. */
  readonly stubborn: Set<string>;
};

function newRegistry(): Registry {
  let timeMs = Date.UTC(2026, 0, 1);
  const catalog = createMemoryCatalog({ now: () => timeMs });
  const deleted: string[] = [];
  const stubborn = new Set<string>();
  const files = {
    async delete(key: string) {
      if (stubborn.has(key)) throw new Error(`${key} cannot be deleted`);
      deleted.push(key);
    },
  };
  const defaults = {
    surface: { name: "default", notUnder: ["acme"] },
    dryRun: false,
    minimumAgeMs: DAY_MS,
    clockThresholdMs: 0,
    now: () => timeMs,
    pause: async () => {},
  };
  const { garbage, leases } = catalog;
  const collector = { catalog: garbage, files, leases };
  return {
    ...catalog,
    deleted,
    stubborn,
    wait: (ms) => void (timeMs += ms),
    collect: (options) => collectGarbage(collector, { ...defaults, ...options }),
  };
}

/** A tagged image, and one whose tag is gone for two days. */
async function litter(registry: Registry) {
  const kept = await push(registry, "app", image("kept"), "1");
  const garbage = await push(registry, "app", image("garbage"));
  registry.wait(2 * DAY_MS);
  const objects = garbage.edges.map(({ digest }) => digest);
  return { kept, garbage, objects };
}

test("deletes manifests that no root reaches, with their links, blobs and objects", async () => {
  const registry = newRegistry();
  const { kept, garbage } = await litter(registry);
  const bytes = garbage.edges.reduce((sum, { size }) => sum + size, garbage.bytes.length);
  expect(await registry.collect()).toEqual({
    status: "finished",
    id: expect.any(String),
    surface: "default",
    segment: undefined,
    dryRun: false,
    candidates: { count: 3, bytes },
    removed: { count: 3, bytes },
    links: 2,
    kept: 0,
    failed: 0,
    resumed: 0,
  });
  expect(await registry.manifests.find(app, garbage.digest)).toBeUndefined();
  expect(registry.deleted).toHaveLength(2);
  expect(registry.state.blobs.size).toBe(2);
  for (const { digest } of kept.edges) {
    expect(await registry.blobs.find(app, digest)).toBeDefined();
  }
  expect(registry.events.at(-1)).toBe("gc.completed default finished");
});

test("writes nothing but the report in a dry run", async () => {
  const registry = newRegistry();
  const { garbage, objects } = await litter(registry);
  const events = [...registry.events];
  const collected = await registry.collect({ dryRun: true });
  expect(collected).toMatchObject({ status: "finished", candidates: { count: 3 } });
  expect(collected).toMatchObject({ removed: { count: 0, bytes: 0 }, links: 0 });
  expect(registry.deleted).toEqual([]);
  expect(registry.events).toEqual(events);
  for (const digest of objects) expect(await registry.blobs.find(app, digest)).toBeDefined();
  expect(await registry.manifests.find(app, garbage.digest)).toBeDefined();
});

test("takes nothing but what is in the report that was read", async () => {
  const registry = newRegistry();
  const { garbage } = await litter(registry);
  const report = await registry.collect({ dryRun: true });
  const later = await push(registry, "app", image("later"));
  registry.wait(2 * DAY_MS);
  const reviewed = "id" in report ? report.id : "";
  const collected = await registry.collect({ reviewed });
  expect(collected).toMatchObject({ status: "finished", removed: { count: 3 } });
  expect(await registry.manifests.find(app, garbage.digest)).toBeUndefined();
  expect(await registry.manifests.find(app, later.digest)).toBeDefined();
});

test("refuses a report that is not there, of another surface, or not complete", async () => {
  const registry = newRegistry();
  await litter(registry);
  const refused = { status: "refused" };
  expect(await registry.collect({ reviewed: "none" })).toMatchObject(refused);
  const surface = { name: "acme", segment: "acme" };
  const other = await registry.collect({ surface, dryRun: true });
  expect(other).toMatchObject({ status: "finished", surface: "acme", segment: "acme" });
  const reviewed = "id" in other ? other.id : "";
  expect(await registry.collect({ reviewed })).toMatchObject(refused);
  const stopped = await registry.collect({ dryRun: true, signal: AbortSignal.abort() });
  const incomplete = "id" in stopped ? stopped.id : "";
  expect(await registry.collect({ reviewed: incomplete })).toMatchObject(refused);
});

test("aborts without candidates when what must stay lacks something", async () => {
  const registry = newRegistry();
  const { kept, garbage } = await litter(registry);
  await push(registry, "aaa", image("sorts first"));
  registry.wait(2 * DAY_MS);
  const [edge] = kept.edges;
  await registry.lose(app, edge?.digest ?? kept.digest);
  const aborted = await registry.collect();
  expect(aborted).toMatchObject({ status: "aborted", candidates: { count: 0, bytes: 0 } });
  const words = "error" in aborted ? aborted.error : undefined;
  expect(words).toContain(`app@${kept.digest}`);
  expect(words).toContain(edge?.digest);
  expect(registry.deleted).toEqual([]);
  expect(await registry.manifests.find(app, garbage.digest)).toBeDefined();
  const [report] = await registry.garbage.reports.reports(1);
  expect(report).toMatchObject({ state: "aborted", manifests: { count: 0 }, error: words });
});

/** Lets time pass for the catalog and for the timer that extends the lease. */
async function pass(registry: Registry, ms: number): Promise<void> {
  registry.wait(ms);
  await vi.advanceTimersByTimeAsync(ms);
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

test("lets one runner work at a time", async () => {
  const registry = newRegistry();
  await litter(registry);
  const both = await Promise.all([registry.collect(), registry.collect()]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["busy", "finished"]);
  expect(await registry.collect()).toMatchObject({ status: "finished" });
});

test("keeps its lease for as long as the run takes", async () => {
  fakeTimers();
  const registry = newRegistry();
  for (const content of ["one", "two", "three"]) await push(registry, "app", image(content));
  registry.wait(2 * DAY_MS);
  const sweeps = { ...registry.garbage.sweeps };
  const slow = { ...registry.garbage, sweeps };
  sweeps.removeLink = async (...args) => {
    await pass(registry, 30_000);
    return registry.garbage.sweeps.removeLink(...args);
  };
  const statuses: string[] = [];
  sweeps.claimBlob = async (...args) => {
    statuses.push((await registry.collect()).status);
    return registry.garbage.sweeps.claimBlob(...args);
  };
  const now = () => registry.state.now();
  const collector = { catalog: slow, leases: registry.leases, files: { delete: async () => {} } };
  const options = { surface: { name: "default", notUnder: [] }, dryRun: false, now };
  const times = { minimumAgeMs: DAY_MS, clockThresholdMs: 0, pause: async () => {} };
  const collected = await collectGarbage(collector, { ...options, ...times });
  expect(collected).toMatchObject({ status: "finished", removed: { count: 9 } });
  expect(new Set(statuses)).toEqual(new Set(["busy"]));
});

test("keeps its lease, and can be stopped, while it walks over content that stays", async () => {
  fakeTimers();
  const registry = newRegistry();
  await push(registry, "app", image("kept"), "1");
  const stop = new AbortController();
  const statuses: string[] = [];
  let steps = 0;
  const step = async () => {
    await pass(registry, 30_000);
    statuses.push((await registry.collect()).status);
    steps += 1;
    if (steps === 10) stop.abort();
    return { count: 0, bytes: 0, more: steps % 8 > 0 };
  };
  const { marks } = registry.garbage;
  const collector = {
    catalog: { ...registry.garbage, marks: { ...marks, markLinks: step, markBlobs: step } },
    leases: registry.leases,
    files: { delete: async () => {} },
  };
  const options = { surface: { name: "default", notUnder: [] }, dryRun: false };
  const times = { minimumAgeMs: DAY_MS, clockThresholdMs: 0, now: () => registry.state.now() };
  const collected = await collectGarbage(collector, { ...options, ...times, signal: stop.signal });
  expect(collected).toMatchObject({ status: "stopped" });
  expect(statuses).toEqual(Array.from({ length: 10 }, () => "busy"));
});

test("stops when another runner has acquired the lease", async () => {
  const registry = newRegistry();
  await litter(registry);
  const sweeps = { ...registry.garbage.sweeps };
  const slept = { ...registry.garbage, sweeps };
  sweeps.removeLink = async (...args) => {
    registry.wait(HOUR_MS);
    await registry.leases.acquire("oci-gc default", "another", HOUR_MS / 6);
    return registry.garbage.sweeps.removeLink(...args);
  };
  const collector = { catalog: slept, leases: registry.leases, files: { delete: async () => {} } };
  const options = { surface: { name: "default", notUnder: [] }, dryRun: false };
  const times = { minimumAgeMs: DAY_MS, clockThresholdMs: 0, now: () => registry.state.now() };
  await expect(collectGarbage(collector, { ...options, ...times })).rejects.toThrow(LostLeaseError);
  expect(await registry.leases.acquire("oci-gc default", "third", 1)).toBeUndefined();
});

test("continues a stopped run", async () => {
  const registry = newRegistry();
  await litter(registry);
  const stop = new AbortController();
  const pause = async () => stop.abort();
  const stopped = await registry.collect({ pause, signal: stop.signal });
  expect(stopped).toMatchObject({ status: "stopped", removed: { count: 0 } });
  const finished = await registry.collect();
  expect(finished).toMatchObject({ status: "finished", removed: { count: 3 } });
});

test("retries objects that could not be deleted, and lists them", async () => {
  const registry = newRegistry();
  const { objects } = await litter(registry);
  const keys = objects.map((digest) => registry.state.blobs.get(digest)?.key ?? "");
  const [first = ""] = keys;
  registry.stubborn.add(first);
  const failures: string[] = [];
  const onFailure = (key: string) => void failures.push(key);
  const once = await registry.collect({ onFailure });
  expect(once).toMatchObject({ status: "finished", removed: { count: 2 }, failed: 1 });
  expect(failures).toEqual([first]);
  registry.stubborn.clear();
  expect(await registry.collect()).toMatchObject({ status: "finished", resumed: 1 });
  expect(new Set(registry.deleted)).toEqual(new Set(keys));
  expect(registry.state.blobs.size).toBe(2);
});

test("takes indexes, children, referrers and rings in one run", async () => {
  const registry = newRegistry();
  const [child, left, right] = [image("child"), image("left"), image("right")];
  const index = buildIndex([child]);
  const ring = buildIndex([index], { subject: index.descriptor });
  const signature = image("signature", { subject: child.descriptor });
  for (const testManifest of [signature, child, index, ring])
    await push(registry, "app", testManifest);
  const tagOf = ({ digest }: typeof left) => digest.replace(":", "-");
  await push(registry, "app", left, `${tagOf(right)}.sig`);
  await push(registry, "app", right, tagOf(left));
  registry.wait(2 * DAY_MS);
  expect(await registry.collect()).toMatchObject({ status: "finished", kept: 0 });
  expect(registry.state.repositories.get(app)?.manifests.size).toBe(0);
  expect(registry.state.blobs.size).toBe(0);
});

test("keeps untagged manifests as long as their repository says", async () => {
  const registry = newRegistry();
  const keepUntaggedMs = (name: string) => (name === "app" ? 7 * DAY_MS : 0);
  await push(registry, "app", image("long"));
  await push(registry, "other", image("short"));
  registry.wait(DAY_MS);
  expect(await registry.collect({ keepUntaggedMs })).toMatchObject({ removed: { count: 0 } });
  registry.wait(DAY_MS);
  expect(await registry.collect({ keepUntaggedMs })).toMatchObject({ removed: { count: 3 } });
  registry.wait(7 * DAY_MS);
  const forEver = () => Number.POSITIVE_INFINITY;
  const report = await registry.collect({ keepUntaggedMs: forEver });
  expect(report).toMatchObject({ removed: { count: 0 } });
  expect(await registry.collect({ keepUntaggedMs })).toMatchObject({ removed: { count: 3 } });
});

test("gives what was promised its whole minimum age, though clocks move in steps", async () => {
  let timeMs = Date.UTC(2026, 0, 1);
  const clockThresholdMs = 3 * HOUR_MS;
  const catalog = createMemoryCatalog({ now: () => timeMs, clockThresholdMs });
  const blob = newBlob("asked for");
  await catalog.blobs.link(app, blob);
  timeMs += 2 * HOUR_MS;
  expect(await catalog.blobs.find(app, blob.digest)).toBeDefined();
  const { garbage, leases } = catalog;
  const collector = { catalog: garbage, leases, files: { delete: async () => {} } };
  const surface = { name: "default", notUnder: [] };
  const collect = () => {
    const times = { minimumAgeMs: DAY_MS, clockThresholdMs, now: () => timeMs };
    return collectGarbage(collector, { surface, dryRun: false, ...times });
  };
  timeMs += DAY_MS;
  expect(await collect()).toMatchObject({ removed: { count: 0 } });
  expect(await catalog.blobs.mount(repository("other"), blob.digest, allow("app"))).toBe(true);
  timeMs += DAY_MS + clockThresholdMs + 1;
  expect(await collect()).toMatchObject({ removed: { count: 1 } });
});

test("never touches the repositories of another surface", async () => {
  const registry = newRegistry();
  const theirs = await push(registry, "acme/app", image("theirs"));
  registry.wait(2 * DAY_MS);
  expect(await registry.collect()).toMatchObject({ candidates: { count: 0 } });
  const surface = { name: "acme", segment: "acme" };
  expect(await registry.collect({ surface })).toMatchObject({ removed: { count: 3 } });
  const manifest = await registry.manifests.find(repository("acme/app"), theirs.digest);
  expect(manifest).toBeUndefined();
});

test("goes through more than one page of everything", async () => {
  const registry = newRegistry();
  const texts = Array.from({ length: 1_203 }, (_, index) => `blob ${index}`);
  for (const text of texts) await registry.blobs.link(app, newBlob(text));
  for (const text of texts.slice(0, 600)) {
    await registry.blobs.unlink(app, digestOf(Buffer.from(text)));
  }
  registry.wait(2 * DAY_MS);
  const collected = await registry.collect();
  expect(collected).toMatchObject({ removed: { count: texts.length }, links: 603 });
  expect(registry.deleted).toHaveLength(texts.length);
  const deletedTag = await registry.manifests.deleteTag(app, "none", caller);
  expect(deletedTag).toBe("absent");
});
