import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { digestOf, parseRepositoryName } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import type { BlobRecord } from "@sealhouse/storage-providers";
import { afterAll, describe, expect, test } from "vitest";
import type { DatabaseConfig } from "../connection-string.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const CALLER = { actor: "tester" };
const APP = parseRepositoryName("app");
const OTHER = parseRepositoryName("other");
const FUTURE = new Date("2999-01-01");
const ALL = { limit: 100 };

function newBlob(content: string, generation = "1") {
  const bytes = Buffer.from(content);
  const digest = digestOf(bytes);
  return { digest, key: `oci/${digest.slice(7)}.${generation}`, size: bytes.length };
}

async function openRecords(type: DatabaseConfig["type"]) {
  let ms = Date.now();
  const database = await openTestDatabase({ type, now: () => new Date((ms += 1000)) });
  const records = database.blobRecords("oci", CALLER);
  const link = async (...contents: readonly string[]) => {
    for (const content of contents) await database.oci.blobs.link(APP, newBlob(content));
    return records.blobs(ALL);
  };
  const linkOne = async (content: string): Promise<BlobRecord> => {
    const [blob] = await link(content);
    if (!blob) throw new Error("the blob has no row");
    return blob;
  };
  const recordOf = async (content: string) => {
    const { digest } = newBlob(content);
    return (await records.blobs(ALL)).find((record) => record.digest === digest);
  };
  return { database, ...database.oci, records, link, linkOne, recordOf };
}

afterAll(leaveTestServers);

describe.each(testableDatabases())("%s", (type) => {
  test("lists blobs with their keys and sizes, page by page", async () => {
    const { database, records, link } = await openRecords(type);
    await using _ = database;
    await link("a", "bb", "ccc");
    const first = await records.blobs({ limit: 2 });
    const rest = await records.blobs({ limit: 2, after: first.at(-1)?.id ?? 0 });
    expect([...first, ...rest]).toEqual(
      ["a", "bb", "ccc"].map((text) => ({ ...newBlob(text), id: expect.any(Number) as number })),
    );
  });

  test("returns never verified blobs first, then the oldest", async () => {
    const { database, records, link } = await openRecords(type);
    await using _ = database;
    const [a, b, c, d] = await link("a", "b", "c", "d");
    if (!a || !b || !c || !d) throw new Error("blobs are missing");
    await records.markVerified(b);
    await records.markVerified(a);
    const contents = new Map(["a", "b", "c", "d"].map((text) => [newBlob(text).digest, text]));
    const unverified = async (before: Date, upTo: number) => {
      const seen: (string | undefined)[] = [];
      for (let after: BlobRecord | undefined; ;) {
        const page = { before, upTo, limit: 1, ...(after && { after }) };
        const [row] = await records.unverified(page);
        if (!row) return seen;
        seen.push(contents.get(row.digest as ReturnType<typeof digestOf>));
        after = row;
      }
    };
    expect(await unverified(FUTURE, d.id)).toEqual(["c", "d", "b", "a"]);
    expect(await unverified(FUTURE, c.id)).toEqual(["c", "b", "a"]);
    expect(await unverified(new Date(1), d.id)).toEqual(["c", "d"]);
  });

  test("a damaged blob is absent until a push stores it again", async () => {
    const { database, records, blobs, linkOne, recordOf } = await openRecords(type);
    await using _ = database;
    const layer = await linkOne("layer");
    const { digest } = newBlob("layer");
    await blobs.link(OTHER, newBlob("layer"));
    expect(await records.markDamaged(layer, "missing")).toEqual(["app", "other"]);
    expect(await records.markDamaged(layer, "digest")).toEqual(["app", "other"]);
    expect((await recordOf("layer"))?.damagedAt).toBeDefined();
    expect(await blobs.find(APP, digest)).toBeUndefined();
    const from = { repository: APP, mayPull: () => true };
    expect(await blobs.mount(parseRepositoryName("third"), digest, from)).toBe(false);

    const again = newBlob("layer", "2");
    expect(await blobs.link(APP, again)).toEqual({ isDuplicate: false });
    expect(await blobs.find(OTHER, digest)).toEqual({ key: again.key, size: again.size });
    expect(await recordOf("layer")).toEqual({ ...again, id: layer.id });
  });

  test("unlinks a damaged blob", async () => {
    const { database, records, blobs, linkOne } = await openRecords(type);
    await using _ = database;
    await records.markDamaged(await linkOne("a"), "size");
    expect(await blobs.unlink(APP, newBlob("a").digest)).toBe("unlinked");
  });

  test("verifying or replacing the object ends the damage", async () => {
    const { database, records, blobs, linkOne, recordOf } = await openRecords(type);
    await using _ = database;
    const blob = await linkOne("a");
    await records.markDamaged(blob, "digest");
    await records.markVerified(blob);
    const { key, size } = blob;
    expect(await blobs.find(APP, newBlob("a").digest)).toEqual({ key, size });
    expect((await recordOf("a"))?.verifiedAt).toBeDefined();

    await records.markDamaged(blob, "missing");
    const replacement = newBlob("a", "found");
    expect(await records.replaceKey(blob, replacement.key)).toBe(true);
    expect(await blobs.find(APP, replacement.digest)).toEqual({ key: replacement.key, size });
    expect((await recordOf("a"))?.damagedAt).toBeUndefined();
  });

  test("stores nothing about an object that the row no longer references", async () => {
    const { database, records, linkOne, recordOf } = await openRecords(type);
    await using _ = database;
    const blob = await linkOne("a");
    const old = { ...blob, key: newBlob("a", "old").key };
    await records.markVerified(old);
    expect(await records.markDamaged(old, "missing")).toBeUndefined();
    expect(await records.replaceKey(old, newBlob("a", "new").key)).toBe(false);
    expect(await recordOf("a")).toEqual(blob);
  });

  test("each protocol lists its own blobs and what contains them", async () => {
    const { database, linkOne } = await openRecords(type);
    await using _ = database;
    await linkOne("a");
    await database.nuget.recorder.record(newPackage({ id: "Acme.Json", version: "1.0.0" }), CALLER);
    await database.npm.recorder.publish(newNpmVersion({}), CALLER);
    for (const [protocol, names] of [
      ["nuget", [expect.stringMatching(/^Acme\.Json 1\.0\.0/)]],
      ["npm", [expect.stringMatching(/^demo 1\.0\.0/)]],
      ["oci", ["app"]],
    ] as const) {
      const records = database.blobRecords(protocol, CALLER);
      const [blob, ...more] = await records.blobs(ALL);
      if (!blob) throw new Error(`${protocol} has no blob`);
      expect(more).toEqual([]);
      expect(await records.markDamaged(blob, "size")).toEqual(names);
    }
    const events = await database.events.outbox.pending("test", 100);
    expect(events.filter((event) => event.type === "blob.damaged")).toMatchObject([
      { subject: expect.stringMatching(/^nuget\//), detail: { versions: [expect.any(String)] } },
      { subject: expect.stringMatching(/^npm\//), detail: { versions: [expect.any(String)] } },
      { subject: expect.stringMatching(/^oci\//), detail: { repositories: ["app"] } },
    ]);
  });

  test("drops the documents of npm packages whose tarball is damaged or sound again", async () => {
    const { database } = await openRecords(type);
    await using _ = database;
    const { npm, documents } = database;
    await npm.recorder.publish(newNpmVersion({}), CALLER);
    const records = database.blobRecords("npm", CALLER);
    const [blob] = await records.blobs(ALL);
    if (!blob) throw new Error("the version has no blob");
    const [key, group] = ["npm/full demo", "npm/demo"];
    const isDropped = async (change: Promise<unknown>) => {
      await change;
      const isAbsent = (await documents.read(key)) === undefined;
      const revision = await documents.revision(group);
      const identity = Buffer.from("{}");
      const document = { etag: "e", contentType: "text/plain", modifiedAt: FUTURE, identity };
      await documents.keep({ key, group, revision, document });
      return isAbsent;
    };
    await isDropped(records.markVerified(blob));
    expect(await isDropped(records.markVerified(blob))).toBe(false);
    expect(await isDropped(records.markDamaged(blob, "digest"))).toBe(true);
    expect(await isDropped(records.markDamaged(blob, "digest"))).toBe(false);
    expect((await npm.lookup.find("demo"))?.versions).toMatchObject([{ isDamaged: true }]);
    expect(await isDropped(records.markVerified(blob))).toBe(true);
    expect((await npm.lookup.find("demo"))?.versions[0]).not.toHaveProperty("isDamaged");
    await records.markDamaged(blob, "missing");
    expect(await isDropped(records.replaceKey(blob, `${blob.key}-copy`))).toBe(true);
  });

  test("includes versions that wait for approval", async () => {
    const { database } = await openRecords(type);
    await using _ = database;
    const { publishedAt: _publishedAt, ...version } = newNpmVersion({ name: "waiting" });
    const stagedAt = new Date();
    const terms = { stagedAt, expiresAt: FUTURE, perPackage: 1 };
    await database.npm.staging.stage(version, terms, CALLER);
    const records = database.blobRecords("npm", CALLER);
    const [blob] = await records.blobs(ALL);
    if (!blob) throw new Error("the staged version has no blob");
    expect(await records.markDamaged(blob, "missing")).toEqual(["waiting 1.0.0 (staged)"]);
  });

  test("returns every manifest with its bytes in pages", async () => {
    const { database, blobs, manifests } = await openRecords(type);
    await using _ = database;
    for (const repository of [APP, OTHER]) {
      for (const layer of ["1", "2"]) {
        const image = buildImage({ layers: [layer] });
        const edges = image.blobs.map(({ digest, bytes }, index) => {
          const kind = index === 0 ? ("config" as const) : ("layer" as const);
          return { digest: digestOf(bytes), key: digest, size: bytes.length, kind };
        });
        for (const edge of edges) await blobs.link(repository, edge);
        const { digest, mediaType, bytes } = image;
        const manifest = { repository, digest, mediaType, bytes, edges, tags: [] };
        await manifests.record(manifest, CALLER);
      }
    }
    const { records } = database.oci;
    const first = await records.manifests({ limit: 3 });
    const rest = await records.manifests({ limit: 3, after: first.at(-1)?.id ?? 0 });
    const all = [...first, ...rest];
    expect(all.map(({ repository }) => repository)).toEqual(["app", "app", "other", "other"]);
    for (const { digest, bytes } of all) expect(digestOf(bytes)).toBe(digest);
  });
});
