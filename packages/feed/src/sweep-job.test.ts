import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase } from "@sealhouse/database/testing";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { testCaller } from "@sealhouse/nuget-protocol/testing";
import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import { createBlobStore, parseObjectKey } from "@sealhouse/storage-providers";
import { openFilesystemStore } from "@sealhouse/storage-providers/filesystem";
import { createMemoryStore } from "@sealhouse/storage-providers/memory";
import { expect, test } from "vitest";
import { sweepJob } from "./sweep-job.ts";

const HOUR_MS = 3_600_000;

async function* bytes(text: string) {
  yield Buffer.from(text);
}

async function openParts() {
  const clock = { now: Date.now() };
  const now = () => new Date(clock.now);
  const opened = new AsyncDisposableStack();
  const database = opened.use(await openTestDatabase({ now }));
  const store = opened.use(createMemoryStore({ now }));
  const oci = createBlobStore(store, { prefix: "oci" });
  const npm = createBlobStore(store, { prefix: "npm" });
  const lines: { readonly message: string; readonly fields: object }[] = [];
  const log = { info: (fields: object, message: string) => void lines.push({ message, fields }) };
  const job = sweepJob({ database, store, ociUploads: oci.uploads, log, now });
  const sweep = () => job.run(new AbortController().signal);
  const keys = async () => (await Array.fromAsync(store.list(""))).map(({ key }) => key);
  return { clock, opened, database, store, oci, npm, sweep, keys, lines };
}

test("deletes objects without a row after a day", async () => {
  const { clock, opened, npm, sweep, keys } = await openParts();
  await using _ = opened;
  await using staged = await npm.stage(bytes("without a row"));
  await staged.keep();
  clock.now += 23 * HOUR_MS;
  await sweep();
  expect(await keys()).toHaveLength(1);
  clock.now += 2 * HOUR_MS;
  await sweep();
  expect(await keys()).toEqual([]);
});

test.each(["nuget", "npm", "oci"])(
  "deletes a body that a killed process staged in %s after an hour",
  async (prefix) => {
    const { clock, opened, store, sweep, keys, lines } = await openParts();
    await using _ = opened;
    const key = parseObjectKey(`${prefix}/staging/${randomUUID()}`);
    await store.write(key, bytes("left"), { existing: "replace" });
    clock.now += 59 * 60_000;
    await sweep();
    expect(await keys()).toEqual([key]);
    clock.now += 2 * 60_000;
    await sweep();
    expect(await keys()).toEqual([]);
    const fields = { count: 1, bytes: 4 };
    expect(lines).toContainEqual({ message: "deleted files of killed processes", fields });
  },
);

test("deletes a file that a killed process was writing after an hour", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-sweep-"));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true }));
  const store = parts.use(await openFilesystemStore({ root: folder }));
  const file = join(folder, ".incoming", randomUUID());
  await writeFile(file, "left");
  const clock = { now: Date.now() };
  const now = () => new Date(clock.now);
  const database = parts.use(await openTestDatabase({ now }));
  const { uploads } = createBlobStore(store, { prefix: "oci" });
  const log = { info: () => undefined };
  const job = sweepJob({ database, store, ociUploads: uploads, log, now });
  await job.run(new AbortController().signal);
  expect(existsSync(file)).toBe(true);
  clock.now += 61 * 60_000;
  await job.run(new AbortController().signal);
  expect(existsSync(file)).toBe(false);
});

test("quarantines an image layer without a row, and deletes it a week later", async () => {
  const { clock, opened, database, oci, sweep, keys } = await openParts();
  await using _ = opened;
  await using lost = await oci.stage(bytes("without a row"));
  await using stagedBlob = await oci.stage(bytes("referenced later, by a restored database"));
  await lost.keep();
  const { key, size, sha256 } = await stagedBlob.keep();
  clock.now += 47 * HOUR_MS;
  await sweep();
  expect((await keys()).filter((objectKey) => objectKey.startsWith("oci/blobs/"))).toHaveLength(2);
  clock.now += 2 * HOUR_MS;
  await sweep();
  expect(
    (await keys()).filter((objectKey) => objectKey.startsWith("oci/quarantine/")),
  ).toHaveLength(2);
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

test("an image upload expires after a day without activity, with its bytes", async () => {
  const { clock, opened, database, oci, sweep } = await openParts();
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
  await sweep();
  expect(await database.oci.uploads.find(idle)).toBeUndefined();
  expect(await database.oci.uploads.find(moving)).toBeDefined();
  await using whole = await oci.uploads.assemble(moving, 4);
  expect(whole.size).toBe(4);
  await expect(oci.uploads.assemble(idle, 4)).rejects.toThrow();
});

test("deletes an expired staged version with its bytes", async () => {
  const { clock, opened, database, npm, sweep, keys } = await openParts();
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
  await sweep();
  expect(await database.npm.staging.list()).toHaveLength(1);
  expect(await keys()).toHaveLength(1);
  clock.now += 2 * HOUR_MS;
  await sweep();
  expect(await keys()).toEqual([]);
  expect(await database.npm.staging.expire(10)).toBe(0);
});

test("only one instance sweeps at a time", async () => {
  const { clock, opened, database, oci, sweep, keys } = await openParts();
  await using _ = opened;
  await using staged = await oci.stage(bytes("without a row"));
  await staged.keep();
  clock.now += 49 * HOUR_MS;
  await database.leases.acquire("sweep", "another instance", 5 * 60_000);
  await sweep();
  expect(await keys()).toHaveLength(1);
});
