import { openTestDatabase } from "@sealhouse/database/testing";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import {
  adoptStore,
  createBlobStore,
  parseObjectKey,
  checkJob,
  checkStorage,
  setOrphansAside,
} from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createLog } from "../../log.ts";
import { checkParts } from "@sealhouse/feed";
import { createCheckMetrics } from "../../operations/check-metrics.ts";
import type { StorageFinding } from "@sealhouse/storage-providers";

const APP = parseRepositoryName("app");
const DAY_MS = 24 * 60 * 60_000;
const NEVER = new AbortController().signal;
const CALLER = { actor: "test" };

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

async function openStored() {
  const opened = new AsyncDisposableStack();
  const clock = { ms: Date.now() };
  const now = () => new Date(clock.ms);
  const database = opened.use(await openTestDatabase({ now }));
  const store = opened.use(createMemoryStore({ now }));
  const oci = createBlobStore(store, { prefix: "oci" });
  const keep = async (content: string) => {
    await using staged = await oci.stage(bytesOf(content), { hashes: ["sha512"] });
    return { ...(await staged.keep()), sha512: staged.digests.sha512 ?? "" };
  };
  const link = async (content: string) => {
    const { key, size, sha256 } = await keep(content);
    const digest = parseDigest(`sha256:${sha256}`);
    await database.oci.blobs.link(APP, { digest, key, size });
    return { digest, key: parseObjectKey(key), size };
  };
  const damage = (key: string, content: string) =>
    store.write(parseObjectKey(key), bytesOf(content), { existing: "replace" });
  const lines: string[] = [];
  const log = createLog({ level: "Information", format: "Json" }, (line) => lines.push(line));
  await adoptStore(store, "own");
  const nuget = createBlobStore(store, { prefix: "nuget" });
  const npm = createBlobStore(store, { prefix: "npm" });
  const parts = checkParts({ database, store, blobs: { nuget, npm, oci } }, now);
  const metrics = createCheckMetrics("main");
  const jobOf = (enabled = true) => {
    const settings = { enabled, everyMs: DAY_MS, verifyEveryMs: 30 * DAY_MS };
    return checkJob({
      ...parts,
      feed: "main",
      check: settings,
      metrics,
      caller: { actor: "system" },
      log,
    });
  };
  const check = async (repair = false) => {
    const findings: StorageFinding[] = [];
    const onFinding = (finding: StorageFinding) => findings.push(finding);
    const request = { protocols: ["oci"], lease: "check-command", caller: CALLER } as const;
    const run = { ...request, verifyBefore: now(), repair, onFinding };
    const outcome = await checkStorage(parts, run);
    if (outcome.status === "busy") return { status: "busy" as const, findings };
    const { protocols, ...report } = outcome.result;
    return { status: "ended" as const, summary: protocols.oci, ...report, findings };
  };
  const events = async () => {
    const all = await database.events.outbox.pending("test", 100);
    return all.filter(({ type }) => type.startsWith("blob."));
  };
  const series = async () => {
    const registry = new Registry();
    await metrics.addTo(registry);
    return registry.metrics();
  };
  return {
    series,
    opened,
    clock,
    parts,
    store,
    database,
    keep,
    link,
    damage,
    lines,
    jobOf,
    check,
    events,
  };
}

test("the job reports missing and changed bytes in log, events and count", async () => {
  const { opened, clock, store, database, link, damage, lines, jobOf, events } = await openStored();
  await using _ = opened;
  const gone = await link("gone");
  const changed = await link("changed");
  await link("whole");
  await store.delete(gone.key);
  await damage(changed.key, "chanGed");
  await jobOf()?.run(NEVER);
  const logLines = lines.map((line): unknown => JSON.parse(line));
  for (const [{ digest }, problem] of [
    [gone, "missing"],
    [changed, "digest"],
  ] as const) {
    const finding = { feed: "main", digest, problem, namedBy: ["app"] };
    expect(logLines).toContainEqual(expect.objectContaining(finding));
  }
  expect(await database.blobs.damaged("oci")).toBe(2);
  expect(await events()).toMatchObject([
    {
      type: "blob.damaged",
      subject: `oci/${gone.digest}`,
      caller: { actor: "system" },
      detail: { problem: "missing", repositories: ["app"], size: 4 },
    },
    { type: "blob.damaged", subject: `oci/${changed.digest}` },
  ]);

  // A push of the same bytes is what heals it.
  expect(await database.oci.blobs.find(APP, gone.digest)).toBeUndefined();
  await link("gone");
  expect(await database.blobs.damaged("oci")).toBe(1);
  clock.ms += DAY_MS;
  await jobOf()?.run(NEVER);
  expect(await database.blobs.damaged("oci")).toBe(1);
  expect(await events(), "told once").toHaveLength(2);
});

test("the job reads each object again only after its time", async () => {
  const { opened, clock, link, damage, database, jobOf } = await openStored();
  await using _ = opened;
  const { key } = await link("whole");
  await jobOf()?.run(NEVER);
  await damage(key, "whOle");
  clock.ms += 29 * DAY_MS;
  await jobOf()?.run(NEVER);
  expect(await database.blobs.damaged("oci")).toBe(0);
  clock.ms += 2 * DAY_MS;
  await jobOf()?.run(NEVER);
  expect(await database.blobs.damaged("oci")).toBe(1);
});

test("the job shows its progress in the metrics", async () => {
  const { opened, clock, series, link, jobOf } = await openStored();
  await using _ = opened;
  await link("whole");
  await link("also whole");
  expect(await series()).toBe("\n");
  await jobOf()?.run(NEVER);
  const text = await series();
  for (const line of [
    'storage_check_compared_blobs{feed="main",type="oci"} 2',
    'storage_check_compared_blobs{feed="main",type="npm"} 0',
    'storage_check_verified_blobs{feed="main",type="oci"} 2',
    'storage_check_verified_bytes{feed="main",type="oci"} 15',
    `storage_check_last_end_timestamp_seconds{feed="main"} ${clock.ms / 1000}`,
  ]) {
    expect(text).toContain(line);
  }
});

test("there is no job while it is off", async () => {
  const { opened, jobOf } = await openStored();
  await using _ = opened;
  expect(jobOf(false)).toBeUndefined();
});

test("repairing takes another copy, from the quarantine too, but none with a row", async () => {
  const { opened, clock, parts, store, database, keep, link, check, events } = await openStored();
  await using _ = opened;
  const { digest, key } = await link("content");
  const spare = await keep("content");
  clock.ms += 3 * DAY_MS;
  await setOrphansAside(parts, { prefix: "oci" });
  expect(await store.stat(parseObjectKey(spare.key))).toBeUndefined();
  // The same bytes by their other digest: a row names that object.
  const other = await keep("content");
  const by512 = parseDigest(`sha512:${other.sha512}`);
  await database.oci.blobs.link(APP, { digest: by512, key: other.key, size: other.size });
  await store.delete(key);

  const ended = await check(true);
  expect(ended.findings).toMatchObject([{ digest, problem: "missing", repaired: true }]);
  expect(await database.oci.blobs.find(APP, digest)).toEqual({ key: spare.key, size: 7 });
  expect((await events()).map(({ type }) => type)).toEqual(["blob.damaged", "blob.restored"]);
  expect((await check()).findings).toEqual([]);
});

test("counts what no row names, and sets it aside only when repairing", async () => {
  const { opened, clock, store, keep, check } = await openStored();
  await using _ = opened;
  const { key } = await keep("orphan");
  const young = await check();
  expect(young).toMatchObject({ orphans: { setAside: { count: 0 } } });
  clock.ms += 3 * DAY_MS;
  expect(await check()).toMatchObject({ orphans: { setAside: { count: 1, bytes: 6 } } });
  expect(await store.stat(parseObjectKey(key))).toBeDefined();
  await check(true);
  expect(await store.stat(parseObjectKey(key))).toBeUndefined();
  expect(await check()).toMatchObject({ orphans: { held: { count: 1, bytes: 6 } } });
});

test("one at a time", async () => {
  const { opened, database, check } = await openStored();
  await using _ = opened;
  await database.leases.acquire("check-command", "another", 60_000);
  expect(await check()).toMatchObject({ status: "busy" });
});

test("reads bytes in a row, reports changed ones, and restores them", async () => {
  const { opened, parts, store, database, check } = await openStored();
  await using _ = opened;
  const small = { bytesMax: 16, ...database.smallBlobs };
  const oci = createBlobStore(store, { prefix: "oci", small });
  const push = async (content: string) => {
    await using staged = await oci.stage(bytesOf(content));
    const blob = await staged.keep();
    const digest = parseDigest(`sha256:${blob.sha256}`);
    await database.oci.blobs.link(APP, { ...blob, digest });
    return { digest, key: blob.key };
  };
  Object.assign(parts.blobs, { oci });
  const { digest, key } = await push("with its row");
  await push("an object of its own");
  const all = { count: 2, bytes: 32 };
  expect(await check()).toMatchObject({ summary: { named: all, stored: all, verified: all } });

  await database.smallBlobs.delete(key);
  expect((await check()).findings).toMatchObject([{ digest, key, problem: "missing" }]);
  expect(await database.oci.blobs.find(APP, digest)).toBeUndefined();
  const again = await push("with its row");
  expect(again.key).not.toBe(key);
  expect((await check()).findings).toEqual([]);
});
