import { randomUUID } from "node:crypto";
import { openTestDatabase } from "@sealhouse/database/testing";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { createBlobStore } from "@sealhouse/storage-providers";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { openDownloadCounts } from "@sealhouse/database";
import { createLog } from "../log.ts";
import { auditRetentionJob, openJobs, sweepAll } from "./jobs.ts";
import type { JobParts } from "./jobs.ts";

const HOUR_MS = 3_600_000;
const log = createLog({ level: "None", format: "Json" }, () => undefined);

async function* bytes(text: string) {
  yield Buffer.from(text);
}

async function openParts() {
  const clock = { now: Date.now() };
  const now = () => new Date(clock.now);
  const opened = new AsyncDisposableStack();
  const database = opened.use(await openTestDatabase({ now }));
  const store = opened.use(createMemoryStore(now));
  const oci = createBlobStore(store, { prefix: "oci" });
  const npm = createBlobStore(store, { prefix: "npm" });
  const downloads = openDownloadCounts({
    write: (counts) => database.downloads.add(counts),
    onError: () => undefined,
  });
  const unread = () => Promise.reject(new Error("no package is signed here"));
  const hashable = { signed: unread, contentHash: async () => undefined };
  const ociUploads = oci.uploads;
  const rules = { excludedIds: [], action: "Delete" } as const;
  const retention = { enabled: false, rules, dryRun: true, everyMs: HOUR_MS };
  const vulnerabilities = { sources: [], refreshIntervalMs: HOUR_MS };
  const told = { retention, auditRetentionMs: undefined, vulnerabilities, fetch };
  const files = { hashable, signingEnabled: false };
  const uploadExpiryMs = 24 * 60 * 60 * 1000;
  const given = { database, store, ...files, ociUploads, uploadExpiryMs, downloads, ...told };
  const parts: JobParts = { ...given, log, now };
  const keys = async () => (await Array.fromAsync(store.list(""))).map(({ key }) => key);
  return { clock, opened, database, oci, npm, parts, keys };
}

test("the sweep removes what no row names, and nothing before a day has passed", async () => {
  const { clock, opened, npm, parts, keys } = await openParts();
  await using _ = opened;
  await using staged = await npm.stage(bytes("nobody names me"));
  await staged.keep();
  clock.now += 23 * HOUR_MS;
  await sweepAll(parts, new AbortController().signal);
  expect(await keys()).toHaveLength(1);
  clock.now += 2 * HOUR_MS;
  await sweepAll(parts, new AbortController().signal);
  expect(await keys()).toEqual([]);
});

test("the sweep sets a layer aside that no row names, and deletes it a week later", async () => {
  const { clock, opened, database, oci, parts, keys } = await openParts();
  await using _ = opened;
  const sweep = () => sweepAll(parts, new AbortController().signal);
  await using lost = await oci.stage(bytes("nobody names me"));
  await using found = await oci.stage(bytes("named later, by a database that was restored"));
  await lost.keep();
  const { key, size, sha256 } = await found.keep();
  clock.now += 47 * HOUR_MS;
  await sweep();
  expect((await keys()).filter((one) => one.startsWith("oci/blobs/"))).toHaveLength(2);
  clock.now += 2 * HOUR_MS;
  await sweep();
  expect((await keys()).filter((one) => one.startsWith("oci/quarantine/"))).toHaveLength(2);
  const digest = parseDigest(`sha256:${sha256}`);
  await database.oci.blobs.link(parseRepositoryName("team/app"), { digest, key, size });
  clock.now += 6 * 24 * HOUR_MS;
  await sweep();
  expect(await keys()).toHaveLength(2);
  expect(await keys()).toContain(key);
  clock.now += 25 * HOUR_MS;
  await sweep();
  expect(await keys()).toEqual([key]);
});

test("an upload that stood still for a day ends with its bytes, a live one goes on", async () => {
  const { clock, opened, database, oci, parts } = await openParts();
  await using _ = opened;
  const repository = parseRepositoryName("team/app");
  const [idle, moving] = [randomUUID(), randomUUID()];
  for (const id of [idle, moving]) {
    await database.oci.uploads.create({ id, repository, owner: "me", offset: 0 });
    await oci.uploads.append(id, 0, bytes("part"));
  }
  clock.now += 20 * HOUR_MS;
  await database.oci.uploads.claim(moving, "writer", 1_000);
  await database.oci.uploads.advance(moving, "writer", 4);
  await database.oci.uploads.release(moving, "writer");
  clock.now += 5 * HOUR_MS;
  await sweepAll(parts, new AbortController().signal);
  expect(await database.oci.uploads.find(idle)).toBeUndefined();
  expect(await database.oci.uploads.find(moving)).toBeDefined();
  await using whole = await oci.uploads.assemble(moving, 4);
  expect(whole.size).toBe(4);
  await expect(oci.uploads.assemble(idle, 4)).rejects.toThrow();
});

test("a staged version that nobody approved in time goes, with its bytes", async () => {
  const { clock, opened, database, npm, parts, keys } = await openParts();
  await using _ = opened;
  await using staged = await npm.stage(bytes("a tarball"));
  const { key, size, sha256 } = await staged.keep();
  const { publishedAt: stagedAt, ...version } = newNpmVersion({
    publishedAt: new Date(clock.now),
    blob: { key, size, sha256 },
  });
  const terms = { stagedAt, expiresAt: new Date(clock.now + 48 * HOUR_MS), perPackage: 1 };
  await database.npm.staging.stage(version, terms, testCaller);
  clock.now += 47 * HOUR_MS;
  await sweepAll(parts, new AbortController().signal);
  expect(await database.npm.staging.list()).toHaveLength(1);
  expect(await keys()).toHaveLength(1);
  clock.now += 2 * HOUR_MS;
  await sweepAll(parts, new AbortController().signal);
  expect(await keys()).toEqual([]);
  expect(await database.npm.staging.expire(10)).toBe(0);
});

test("only one instance sweeps at a time", async () => {
  const { clock, opened, database, oci, parts, keys } = await openParts();
  await using _ = opened;
  await using staged = await oci.stage(bytes("nobody names me"));
  await staged.keep();
  clock.now += 49 * HOUR_MS;
  await database.leases.acquire("sweep", "another instance", HOUR_MS);
  await sweepAll(parts, new AbortController().signal);
  expect(await keys()).toHaveLength(1);
});

test("events reach the audit log soon after they happened", async () => {
  const { opened, database, parts } = await openParts();
  await using _ = opened;
  {
    await using jobs = openJobs(parts);
    expect(jobs).toBeDefined();
    const caller = { actor: "test" };
    await database.events.record([{ type: "settings.changed", subject: "settings", caller }]);
    await expect
      .poll(async () =>
        (await database.events.audit.read({ order: "newest-first", limit: 10 })).map(
          ({ type }) => type,
        ),
      )
      .toEqual(["settings.changed"]);
  }
  expect(await database.events.outbox.pending("audit", 10)).toEqual([]);
});

test("old audit records are deleted only where a retention time is set", async () => {
  const { clock, opened, database, parts } = await openParts();
  await using _ = opened;
  const caller = { actor: "test" };
  const record = (subject: string) =>
    database.events.audit.append([
      { type: "settings.changed", subject, caller, id: subject, at: parts.now() },
    ]);
  const left = async () => {
    const records = await database.events.audit.read({ order: "oldest-first", limit: 10 });
    return records.map(({ id }) => id);
  };
  await record("1");
  clock.now += 3 * HOUR_MS;
  await record("2");
  expect(auditRetentionJob(parts)).toBeUndefined();
  await auditRetentionJob({ ...parts, auditRetentionMs: HOUR_MS })?.run(
    new AbortController().signal,
  );
  expect(await left()).toEqual(["2"]);
});

test("a published package reaches the catalog, and what was there before does", async () => {
  const { opened, database, parts } = await openParts();
  await using _ = opened;
  const publish = (version: string) =>
    database.nuget.recorder.record(newPackage({ id: "Acme", version }), testCaller);
  const versions = async () =>
    (await database.nuget.catalog.items(0, 10)).map(({ version }) => version);
  await publish("1.0.0");
  {
    await using jobs = openJobs(parts);
    expect(jobs).toBeDefined();
    await expect.poll(versions).toEqual(["1.0.0"]);
    await publish("2.0.0");
    await expect.poll(versions).toEqual(["1.0.0", "2.0.0"]);
  }
  {
    await using again = openJobs(parts);
    expect(again).toBeDefined();
    await publish("3.0.0");
    await expect.poll(versions).toEqual(["1.0.0", "2.0.0", "3.0.0"]);
  }
});
