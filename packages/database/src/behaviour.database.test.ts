import { setImmediate as theOtherInstanceHasAnswered } from "node:timers/promises";
import { tokenRecord } from "@sealhouse/identity/testing";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { digestOf, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { NewBlob } from "@sealhouse/oci-distribution";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { closeConnections, openConnections } from "./transactions/connections.ts";
import { openTestParts } from "./testing/open-test-parts.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "./testing/index.ts";

const HOUR_MS = 60 * 60_000;
const start = Date.parse("2026-06-01T00:00:00.000Z");

/** A clock that a test moves. */
function testClock() {
  let time = start;
  return { now: () => new Date(time), pass: (ms: number) => void (time += ms) };
}

/** Not a skip: on the other databases there is nothing to ask. */
function onlyIf(applies: boolean, name: string, run: () => Promise<void>): void {
  if (applies) test(name, run);
}

describe.each(testableDatabases())("%s", (type) => {
  describe("blobs and manifests of the collector's rules", () => {
    const app = parseRepositoryName("team/app");

    test("a positive answer updates only an old time of use", async () => {
      await using parts = await openTestParts(type);
      const clock = testClock();
      const options = { now: clock.now, clockThresholdMs: 3 * HOUR_MS };
      await using database = await openDatabase(parts.config, options);
      const blob = newBlob("layer");
      await database.oci.blobs.link(app, blob);
      const touched = async () => {
        const row = await parts.connections.port.one({ sql: "select touched_at from blobs" }, []);
        return new Date(Object(row?.["touched_at"])).getTime() - start;
      };
      clock.pass(2 * HOUR_MS);
      await database.oci.blobs.find(app, blob.digest);
      expect(await touched()).toBe(0);
      clock.pass(HOUR_MS);
      await database.oci.blobs.find(app, blob.digest);
      expect(await touched()).toBe(3 * HOUR_MS);
    });

    test("blobs under deletion are absent until an upload stores them again", async () => {
      await using parts = await openTestParts(type);
      await using database = await openDatabase(parts.config);
      const { blobs } = database.oci;
      const first = newBlob("layer", "1");
      await blobs.link(app, first);
      const mark = (state: string) =>
        parts.connections.port.run({ sql: "update blobs set state = ?" }, [state]);
      for (const state of ["deleting", "delete-failed"]) {
        await mark(state);
        expect(await blobs.find(app, first.digest)).toBeUndefined();
        const to = parseRepositoryName("to");
        expect(await blobs.mount(to, first.digest, { mayPull: () => true })).toBe(false);
        const again = newBlob("layer", `after ${state}`);
        expect(await blobs.link(app, again)).toEqual({ isDuplicate: false });
        expect((await blobs.find(app, first.digest))?.key).toBe(again.key);
      }
      await mark("deleting");
      const manifest = { ...manifestOf("needs it"), repository: app, tags: ["1"] };
      const edges = [{ digest: first.digest, size: first.size, kind: "layer" as const }];
      expect(await database.oci.manifests.record({ ...manifest, edges }, testCaller)).toEqual({
        status: "missing",
        digests: [first.digest],
      });
      expect(await database.blobs.isNamed([first.key])).toEqual(new Set());
    });

    test("a concurrent push and unlink leave no dangling edge", async () => {
      await using database = await openTestDatabase({ type });
      for (let round = 0; round < 10; round++) {
        const blob = newBlob(`layer ${round}`);
        await database.oci.blobs.link(app, blob);
        const manifest = { ...manifestOf(`image ${round}`), repository: app, tags: [] };
        const edges = [{ digest: blob.digest, size: blob.size, kind: "layer" as const }];
        const [recorded, unlinked] = await Promise.all([
          database.oci.manifests.record({ ...manifest, edges }, testCaller),
          database.oci.blobs.unlink(app, blob.digest),
        ]);
        const storedBlob = await database.oci.blobs.find(app, blob.digest);
        expect([recorded.status, unlinked, storedBlob !== undefined]).toEqual(
          recorded.status === "recorded"
            ? ["recorded", "referenced", true]
            : ["missing", "unlinked", false],
        );
      }
    });

    test("pushes with the same layers in different orders do not deadlock", async () => {
      await using database = await openTestDatabase({ type });
      const layers = Array.from({ length: 6 }, (_, n) => newBlob(`shared ${n}`));
      for (const layer of layers) await database.oci.blobs.link(app, layer);
      const edges = layers.map(({ digest, size }) => ({ digest, size, kind: "layer" as const }));
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          database.oci.manifests.record(
            {
              ...manifestOf(`image ${n}`),
              repository: app,
              tags: [`v${n}`, "latest"],
              edges: n % 2 === 0 ? edges : edges.toReversed(),
            },
            testCaller,
          ),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(Array(12).fill("recorded"));
      expect(await database.oci.manifests.tags(app, { limit: 100 })).toHaveLength(13);
    });
  });

  test("events have the documented type and subject", async () => {
    await using database = await openTestDatabase({ type });
    let commits = 0;
    const stop = database.events.onCommitted(() => (commits += 1));
    await fillWithOne(database);
    const events = await database.events.outbox.pending("test", 100);
    expect(events.map(({ type: what, subject }) => `${what} ${subject}`)).toEqual([
      "package.published nuget/Acme.Widgets@1.0.0-Beta",
      "package.unlisted nuget/Acme.Widgets@1.0.0-Beta",
      "package.relisted nuget/Acme.Widgets@1.0.0-Beta",
      `package.published oci/team/app:1.0`,
      `package.published oci/team/app@${manifestOf("second").digest}`,
      "package.deleted oci/team/app:1.0",
      `package.deleted oci/team/app@${manifestOf("first").digest}`,
      "token.created token/5f0c2b1e-0000-4000-8000-000000000001",
      "token.revoked token/5f0c2b1e-0000-4000-8000-000000000001",
      `certificate.created certificate/${"ab".repeat(32)}`,
      "gc.completed oci",
    ]);
    expect(commits).toBe(events.length);
    stop();
    await database.events.record([{ type: "gc.completed", subject: "x", caller: testCaller }]);
    expect(commits).toBe(events.length);
  });

  onlyIf(type === "Sqlite", "the outbox keeps nothing but a mark when in order", async () => {
    await using parts = await openTestParts(type);
    await using database = await openDatabase(parts.config);
    const { outbox } = database.events;
    const { port } = parts.connections;
    const countDeliveries = async () =>
      (await port.all({ sql: "select * from event_deliveries" }, [])).length;
    for (const subject of ["1", "2", "3"]) {
      await database.events.record([{ type: "gc.completed", subject, caller: testCaller }]);
    }
    const [first, second, third] = await outbox.pending("test", 100);
    await outbox.delivered("test", [second?.id ?? ""]);
    expect(await countDeliveries()).toBe(1);
    await outbox.delivered("test", [first?.id ?? "", third?.id ?? ""]);
    expect(await outbox.pending("test", 100)).toEqual([]);
    expect(await countDeliveries()).toBe(1);
    const cursor = await port.one({ sql: "select settled_id from event_cursors" }, []);
    expect(String(cursor?.["settled_id"])).toBe(third?.id);
  });

  // SQLite has one writer: no event can come late.
  onlyIf(type !== "Sqlite", "the outbox settles old events and skips no late one", async () => {
    await using parts = await openTestParts(type);
    const clock = testClock();
    await using database = await openDatabase(parts.config, { now: clock.now });
    const { outbox } = database.events;
    const note = (subject: string) =>
      database.events.record([{ type: "gc.completed", subject, caller: testCaller }]);
    const deliverAll = async () => {
      const events = await outbox.pending("test", 100);
      await outbox.delivered(
        "test",
        events.map(({ id }) => id),
      );
      return events.map(({ subject }) => subject);
    };
    const { port } = parts.connections;
    const marks = async () => ({
      kept: (await port.all({ sql: "select event_id from event_deliveries" }, [])).length,
      cursor: (await port.one({ sql: "select settled_id from event_cursors" }, []))?.["settled_id"],
    });

    for (const subject of ["1", "2", "3"]) await note(subject);
    // The third is committed later than the fourth: it is there only after the delivery.
    await note("4");
    const late = await port.one({ sql: "select * from events where subject = '3'" }, []);
    await port.run({ sql: "delete from events where subject = '3'" }, []);
    expect(await deliverAll()).toEqual(["1", "2", "4"]);
    await port.run(
      { sql: "insert into events (id, type, subject, actor, at) values (?, ?, ?, ?, ?)" },
      [Number(late?.["id"]), "gc.completed", "3", "x", clock.now()],
    );
    expect(await deliverAll()).toEqual(["3"]);
    expect(await marks()).toEqual({ kept: 4, cursor: undefined });

    clock.pass(11 * 60_000);
    await note("5");
    expect(await deliverAll()).toEqual(["5"]);
    expect(await marks()).toMatchObject({ kept: 1, cursor: Number(late?.["id"]) + 1 });
    expect(await deliverAll()).toEqual([]);
    clock.pass(11 * 60_000);
    await note("6");
    expect(await deliverAll()).toEqual(["6"]);
    expect(await marks()).toMatchObject({ kept: 1 });
  });

  test("a lease has one holder, and its fencing token increases", async () => {
    const clock = testClock();
    await using database = await openTestDatabase({ type, now: clock.now });
    const { leases } = database;
    const holders = ["a", "b", "c", "d"];
    const won = await Promise.all(holders.map((holder) => leases.acquire("job", holder, 1_000)));
    expect(won.filter((fence) => fence === 1)).toHaveLength(1);
    expect(won.filter((fence) => fence === undefined)).toHaveLength(3);
    const holder = holders[won.indexOf(1)] ?? "";
    clock.pass(900);
    expect(await leases.acquire("job", holder, 1_000)).toBe(1);
    clock.pass(900);
    expect(await leases.acquire("job", "later", 1_000)).toBeUndefined();
    clock.pass(100);
    expect(await leases.acquire("job", "later", 1_000)).toBe(2);
    await leases.release("job", holder);
    expect(await leases.acquire("job", holder, 1_000)).toBeUndefined();
    await leases.release("job", "later");
    expect(await leases.acquire("job", holder, 1_000)).toBe(3);
  });

  test("counts downloads and bytes, and lists the latest packages", async () => {
    await using database = await openTestDatabase({ type });
    await fillWithOne(database);
    await database.downloads.add([
      { protocol: "nuget", name: "ACME.Widgets", version: "1.0.0-beta", count: 3 },
      { protocol: "nuget", name: "Acme.Widgets", version: "1.0.0-Beta", count: 2 },
      { protocol: "nuget", name: "nobody", version: "1.0.0", count: 1 },
      { protocol: "npm", name: "nobody", version: "1.0.0", count: 1 },
      { protocol: "oci", name: "team/app", version: "1.0", count: 1 },
    ]);
    expect((await database.nuget.lookup.versions("acme.widgets"))[0]?.downloads).toBe(5);
    expect(await database.blobs.usage("nuget")).toBe(1234);
    expect(await database.blobs.usage("npm")).toBe(0);
    const { key } = newPackage({ id: "Acme.Widgets", version: "1.0.0-Beta" }).blob;
    expect(await database.blobs.isNamed([key, "nuget/unnamed"])).toEqual(new Set([key]));
    const digests = await database.blobs.digestsOf([key, "nuget/unnamed"]);
    expect([...digests]).toEqual([[key, expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]]);
    expect(await database.presentNames("nuget", ["acme.widgets", "un.known"])).toEqual(
      new Set(["acme.widgets"]),
    );
    expect(await database.presentNames("npm", ["acme.widgets"])).toEqual(new Set());
    expect(await database.latestPackages(10)).toEqual([
      expect.objectContaining({ protocol: "nuget", name: "Acme.Widgets", version: "1.0.0-Beta" }),
    ]);
  });

  test("stores certificates, and the first of several signatures", async () => {
    const options = { type, advertiseAllRepositorySigned: true };
    await using database = await openTestDatabase(options);
    const { nuget, certificates } = database;
    expect(await nuget.certificates.allRepositorySigned()).toBe(true);
    await nuget.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
    expect(await nuget.certificates.allRepositorySigned()).toBe(false);

    const signingCertificate = certificate();
    const [early, late] = [new Date(start), new Date(start + HOUR_MS)];
    await Promise.all([1, 2, 3].map(() => certificates.used(signingCertificate, early)));
    await certificates.used(signingCertificate, late);
    await certificates.used(signingCertificate, early);
    const record = {
      ...signingCertificate,
      listedAt: early,
      firstUsedAt: early,
      lastUsedAt: late,
      active: true,
    };
    expect(await certificates.list()).toEqual([record]);
    expect(await certificates.find(signingCertificate.fingerprint)).toEqual(record);
    expect(await nuget.certificates.all()).toEqual([signingCertificate]);
    expect(await nuget.certificates.find("cd".repeat(32))).toBeUndefined();

    const seals = [1, 2, 3, 4].map((byte) => ({
      plan: Buffer.of(byte, 0, 255),
      fingerprint: signingCertificate.fingerprint,
      size: 5_000_000_000 + byte,
      signedAt: late,
    }));
    const { sha256 } = newPackage({ id: "Acme", version: "1.0.0" }).blob;
    const file = { id: "Acme", version: "1.0.0", sha256 };
    const keptSeals = await Promise.all(seals.map((seal) => nuget.seals.keep(file, seal)));
    expect(new Set(keptSeals.map((seal) => seal?.size)).size).toBe(1);
    expect((await nuget.lookup.find("acme", "1.0.0"))?.seal).toEqual(keptSeals[0]);
    expect(await nuget.certificates.allRepositorySigned()).toBe(true);
  });

  test("rejects a signature of overwritten bytes", async () => {
    await using database = await openTestDatabase({ type });
    const { nuget } = database;
    const name = { id: "Acme", version: "1.0.0" };
    const old = newPackage(name);
    await nuget.recorder.record(old, testCaller);
    const sha256 = "cd".repeat(32);
    const blob = { key: `nuget/blobs/sha256/cd/${sha256}.1`, size: 9, sha256 };
    await nuget.recorder.record(newPackage(name, { blob }), testCaller, { overwrite: true });
    const seal = {
      plan: Buffer.of(1),
      fingerprint: "ab".repeat(32),
      size: 9,
      signedAt: new Date(),
    };
    expect(await nuget.seals.keep({ ...name, sha256: old.blob.sha256 }, seal)).toBe(seal);
    expect((await nuget.lookup.find("acme", "1.0.0"))?.seal).toBeUndefined();
    expect(await nuget.seals.keep({ ...name, sha256 }, seal)).toEqual(seal);
    expect((await nuget.lookup.find("acme", "1.0.0"))?.seal).toEqual(seal);
  });

  test("a change invalidates documents on all instances", async () => {
    await using parts = await openTestParts(type);
    await using database = await openDatabase(parts.config);
    await using other = await openDatabase(parts.config);
    const key = "nuget/acme/index";
    const keep = async (etag: string) => {
      const revision = await database.documents.revision("nuget/acme");
      const document = {
        etag,
        contentType: "text/plain",
        modifiedAt: new Date(start),
        identity: Buffer.from(etag),
      };
      await database.documents.keep({ key, group: "nuget/acme", revision, document });
    };
    await keep("first");
    expect((await database.documents.read(key))?.etag).toBe("first");
    expect((await database.documents.read(key))?.etag).toBe("first");
    await other.nuget.recorder.record(newPackage({ id: "Acme", version: "1.0.0" }), testCaller);
    await theOtherInstanceHasAnswered();
    expect(await database.documents.read(key)).toBeUndefined();
    await keep("second");
    await theOtherInstanceHasAnswered();
    expect((await other.documents.read(key))?.etag).toBe("second");
  });
});

test.each(["PostgreSQL", "MySql", "SqlServer"] as const)(
  "%s: names the server, and no password",
  async (type) => {
    const secret = "Tr0ub4dor";
    const server = { host: "127.0.0.1", port: 1, user: "u", password: secret, database: "d" };
    const opening = openDatabase({ type, ...server, ssl: "disable" });
    const error: unknown = await opening.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "DatabaseUnavailableError" });
    expect(String(error)).toContain("127.0.0.1:1");
    expect(JSON.stringify(error) + String(error)).not.toContain(secret);
  },
);

test("an error of opening SQLite names the file and the reason", async () => {
  const opening = openDatabase({ type: "Sqlite", path: "/dev/null/feed.db" });
  await expect(opening).rejects.toMatchObject({
    name: "DatabaseUnavailableError",
    message: expect.stringContaining("/dev/null/feed.db"),
  });
});

test("SQLite uses WAL with our syncs and a read-only reader", async () => {
  await using parts = await openTestParts("Sqlite");
  const connections = await openConnections(parts.config);
  if (connections.type !== "Sqlite") throw new Error("This is not SQLite.");
  const { port } = connections;
  const pragma = (name: string) => port.writer.pragma(name, { simple: true });
  expect([pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")]).toEqual([
    "wal",
    1,
    1,
  ]);
  await expect(port.one({ sql: "delete from blobs returning id" }, [])).rejects.toThrow(/readonly/);
  await closeConnections(connections);
});

afterAll(leaveTestServers);

function newBlob(content: string, generation = "1"): NewBlob {
  const digest = digestOf(Buffer.from(content));
  return { digest, key: `oci/${digest.slice(7)}.${generation}`, size: content.length };
}

function manifestOf(text: string) {
  const bytes = Buffer.from(JSON.stringify({ text }));
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  return { digest: digestOf(bytes), mediaType, bytes, edges: [] };
}

function certificate() {
  return {
    fingerprint: "ab".repeat(32),
    subject: "CN=Test, O=Ä",
    issuer: "CN=Root",
    notBefore: new Date(start),
    notAfter: new Date(start + 1_000 * HOUR_MS),
    der: Buffer.of(0x30, 0, 255),
  };
}

/** One of everything that writes an event, in a known order. */
async function fillWithOne({ nuget, oci, tokens, certificates, events }: Database): Promise<void> {
  const id = "Acme.Widgets";
  await nuget.recorder.record(newPackage({ id, version: "1.0.0-Beta" }), testCaller);
  await nuget.recorder.setListed(id, "1.0.0-BETA", false, testCaller);
  await nuget.recorder.setListed(id, "1.0.0-BETA", true, testCaller);
  const app = parseRepositoryName("team/app");
  const [first, second] = [manifestOf("first"), manifestOf("second")];
  await oci.manifests.record({ ...first, repository: app, tags: ["1.0"] }, testCaller);
  await oci.manifests.record({ ...second, repository: app, tags: [] }, testCaller);
  await oci.manifests.deleteTag(app, "1.0", testCaller);
  await oci.manifests.deleteManifest(app, first.digest, testCaller);
  const token = tokenRecord({ id: "5f0c2b1e-0000-4000-8000-000000000001" });
  await tokens.insert(token, testCaller);
  await tokens.revoke(token.id, new Date(start), testCaller);
  await certificates.used(certificate(), new Date(start));
  await events.record([{ type: "gc.completed", subject: "oci", caller: testCaller }]);
}
