import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { blobOf } from "@sealhouse/oci-distribution/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const APP = parseRepositoryName("app");
const OTHER = parseRepositoryName("other");
const LATER = new Date("2999-01-01");
const caller = { actor: "alice" };

async function openBlobs(type: DatabaseConfig["type"]) {
  const database = await openTestDatabase({ type, now: () => new Date(Date.UTC(2026, 0, 2)) });
  const { oci, smallBlobs, leases } = database;
  const records = database.blobRecords("oci", caller);
  const record = async (key: string) => {
    const blobRecord = (await records.blobs({ limit: 100 })).find((blob) => blob.key === key);
    if (!blobRecord) throw new Error(`no row names ${key}`);
    return blobRecord;
  };
  /** Sweeps the blob as the collector does: claimed, its bytes deleted, its row forgotten. */
  const collect = async (digest: ReturnType<typeof blobOf>["digest"]) => {
    await oci.blobs.unlink(APP, digest);
    const fence = await leases.acquire("gc", "test", 60_000);
    const run = { id: crypto.randomUUID(), lease: "gc", fence: fence ?? 0, unusedSince: LATER };
    const startedAt = new Date();
    await oci.garbage.runs.begin({ ...run, surface: "all", dryRun: false, startedAt });
    await oci.garbage.marks.markBlobs(run, 10);
    const [candidate] = await oci.garbage.reports.candidates(run, { kind: "blob", limit: 10 });
    if (candidate?.kind !== "blob") throw new Error("nothing is up for collection");
    const claimedBlob = await oci.garbage.sweeps.claimBlob(run, candidate);
    if (claimedBlob === "kept") throw new Error("it was kept");
    const finish = async () => {
      await smallBlobs.delete(claimedBlob.key);
      await oci.garbage.sweeps.forgetBlob(run, claimedBlob);
    };
    return { claimedBlob, finish };
  };
  return { ...oci, records, database, smallBlobs, record, collect };
}

describe.each(testableDatabases())("%s", (type) => {
  const { digest, bytes } = blobOf("few bytes");
  const blob = { digest, bytes, size: bytes.length };
  const first = { ...blob, key: "oci/few.row-1" };
  const second = { ...blob, key: "oci/few.row-2" };

  test("stores the bytes once with the row, and reads them by key", async () => {
    const { database, blobs, smallBlobs } = await openBlobs(type);
    await using _ = database;
    expect(await smallBlobs.read(first.key)).toBeUndefined();
    await blobs.link(APP, first);
    expect(await blobs.link(OTHER, second)).toEqual({ isDuplicate: true });
    expect(Buffer.from((await smallBlobs.read(first.key)) ?? [])).toEqual(Buffer.from(bytes));
    expect(await smallBlobs.read(second.key)).toBeUndefined();
    expect(await database.blobs.usage("oci")).toBe(bytes.length);
  });

  test("stores an empty blob", async () => {
    const { database, blobs, smallBlobs } = await openBlobs(type);
    await using _ = database;
    const empty = blobOf("");
    await blobs.link(APP, { ...empty, size: 0, key: "oci/empty.row-1" });
    expect(await smallBlobs.read("oci/empty.row-1")).toHaveLength(0);
  });

  test("a repeated push replaces the bytes of a damaged blob", async () => {
    const { database, blobs, smallBlobs, records, record } = await openBlobs(type);
    await using _ = database;
    await blobs.link(APP, first);
    await records.markDamaged(await record(first.key), "digest");
    expect(await blobs.link(APP, second)).toEqual({ isDuplicate: false });
    expect(await smallBlobs.read(first.key)).toBeUndefined();
    expect(await smallBlobs.read(second.key)).toHaveLength(bytes.length);
  });

  test("a row with an object has no bytes", async () => {
    const { database, blobs, smallBlobs, records, record } = await openBlobs(type);
    await using _ = database;
    await blobs.link(APP, first);
    await records.markDamaged(await record(first.key), "digest");
    await records.replaceKey(await record(first.key), "oci/few.object");
    await records.markDamaged(await record("oci/few.object"), "missing");
    await blobs.link(APP, { digest, size: bytes.length, key: "oci/few.again" });
    expect(await smallBlobs.read("oci/few.object")).toBeUndefined();
    expect(await smallBlobs.read("oci/few.again")).toBeUndefined();
  });

  test("collecting a blob deletes its bytes", async () => {
    const { database, blobs, smallBlobs, records, collect } = await openBlobs(type);
    await using _ = database;
    await blobs.link(APP, first);
    const { finish } = await collect(digest);
    await finish();
    expect(await smallBlobs.read(first.key)).toBeUndefined();
    expect(await records.blobs({ limit: 1 })).toEqual([]);
    // The same row number may come again: nothing of the one before may be left.
    await blobs.link(APP, second);
    expect(await smallBlobs.read(second.key)).toHaveLength(bytes.length);
  });

  test("a push during the collection keeps its bytes", async () => {
    const { database, blobs, smallBlobs, collect } = await openBlobs(type);
    await using _ = database;
    await blobs.link(APP, first);
    const { finish } = await collect(digest);
    expect(await blobs.link(APP, second)).toEqual({ isDuplicate: false });
    await finish();
    expect(await smallBlobs.read(second.key)).toHaveLength(bytes.length);
    expect(await blobs.find(APP, digest)).toEqual({ key: second.key, size: bytes.length });
  });

  test("a small tarball exists from staging until unpublish", async () => {
    const { database, smallBlobs } = await openBlobs(type);
    await using _ = database;
    const { recorder, staging, lifecycle } = database.npm;
    const newVersion = newNpmVersion({});
    const { key } = newVersion.blob;
    const version = { ...newVersion, blob: { ...newVersion.blob, bytes: Buffer.from("tarball") } };
    const stagedAt = new Date(Date.UTC(2026, 0, 2));
    const terms = { stagedAt, expiresAt: new Date("2999-01-01"), perPackage: 1 };
    const staged = await staging.stage(version, terms, caller);
    if (staged.status !== "staged") throw new Error(staged.status);
    expect(await smallBlobs.read(key)).toHaveLength(7);
    // Approved, it is read back from its row, without the bytes.
    expect(await recorder.release(staged.id, newVersion, caller)).toMatchObject({
      status: "published",
      isDuplicate: false,
    });
    expect(await smallBlobs.read(key)).toHaveLength(7);
    const { revision } = (await database.npm.lookup.find("demo")) ?? { revision: -1 };
    await lifecycle.unpublish("demo", { versions: "all", revision }, caller);
    expect(await smallBlobs.read(key)).toBeUndefined();
  });
});

afterAll(leaveTestServers);
