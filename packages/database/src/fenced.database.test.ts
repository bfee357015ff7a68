import { LostLeaseError, runLeased } from "@sealhouse/jobs";
import { leasesContract } from "@sealhouse/jobs/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import { digestOf, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { NewRelease, ReleaseItem } from "@sealhouse/promotion";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "./database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "./testing/index.ts";

afterAll(leaveTestServers);

const caller = { actor: "system" };
const HOUR_MS = 3_600_000;
const START = new Date("2026-01-01T00:00:00Z");
const after = (hours: number) => new Date(START.getTime() + hours * HOUR_MS);
const APP = parseRepositoryName("app");
const UPLOAD = { id: "upload", repository: APP, owner: "bob", offset: 0 };
const CERTIFICATE = {
  fingerprint: "ab".repeat(32),
  subject: "CN=Feed",
  issuer: "CN=Feed",
  der: Buffer.of(1),
  notBefore: START,
  notAfter: after(24),
};

const DIGESTS = { sha256: "", sha512: "" };
const MEMBER = { version: "1.0.0", size: 1, mediaType: "", received: DIGESTS, tags: [] };
const ITEM: ReleaseItem = {
  id: "r1/1",
  target: "prod",
  member: { protocol: "npm", name: "demo", ...MEMBER },
  state: "carried",
  wasThere: false,
  attempts: 0,
};
const RELEASE: NewRelease = {
  id: "r1",
  key: "k1",
  lane: "web",
  group: "web",
  kind: "promotion",
  targets: ["prod"],
  items: [ITEM],
};

function advisory(name: string) {
  const texts = { title: "title", url: "https://advisories.test/1", versions: "*" };
  return { name, severity: 1, ...texts, cwe: [] } as const;
}

async function* advisories(names: readonly string[], before: () => Promise<unknown>) {
  await before();
  yield* names.map(advisory);
}

type SingleWrite = {
  readonly prepare: (database: Database) => Promise<unknown>;
  /** Calls `lose` before its first write. */
  readonly write: (database: Database, lose: () => Promise<unknown>) => Promise<unknown>;
  readonly state: (database: Database) => Promise<unknown>;
};

/** Writes of leased work that need no transaction otherwise. */
const SINGLE_WRITES: Readonly<Record<string, SingleWrite>> = {
  "inserting npm advisories": {
    prepare: () => Promise.resolve(),
    write: ({ npm }, lose) => npm.advisories.replace("one", advisories(["demo"], lose)),
    state: ({ npm }) => npm.advisories.of(["demo"]),
  },
  "deleting npm advisories": {
    prepare: ({ npm }) => npm.advisories.replace("one", [advisory("demo")]),
    write: ({ npm }, lose) => npm.advisories.replace("one", advisories([], lose)),
    state: ({ npm }) => npm.advisories.of(["demo"]),
  },
  "the removal of a source of npm advisories": {
    prepare: ({ npm }) => npm.advisories.replace("one", [advisory("demo")]),
    write: ({ npm }, lose) => lose().then(() => npm.advisories.remove("one")),
    state: ({ npm }) => npm.advisories.of(["demo"]),
  },
  "the last use of a certificate": {
    prepare: ({ certificates }) => certificates.used(CERTIFICATE, after(1)),
    write: ({ certificates }, lose) => lose().then(() => certificates.used(CERTIFICATE, after(2))),
    state: ({ certificates }) => certificates.list(),
  },
  "an earlier first use of a certificate": {
    prepare: ({ certificates }) =>
      certificates.announce(CERTIFICATE, { at: START, signsFrom: after(2) }),
    write: ({ certificates }, lose) => lose().then(() => certificates.used(CERTIFICATE, after(1))),
    state: ({ certificates }) => certificates.list(),
  },
  "the expiry of uploads": {
    prepare: ({ oci }) => oci.uploads.create(UPLOAD),
    write: ({ oci }, lose) => lose().then(() => oci.uploads.expire(after(24), 10)),
    state: ({ oci }) => oci.uploads.find(UPLOAD.id),
  },
  "an item of a release": {
    prepare: ({ promotion }) => promotion.releases.open(RELEASE, caller),
    write: ({ promotion }, lose) =>
      lose().then(() => promotion.releases.saveItems("r1", [{ ...ITEM, state: "sending" }])),
    state: ({ promotion }) => promotion.releases.find("r1"),
  },
  "a step of a release": {
    prepare: ({ promotion }) => promotion.releases.open(RELEASE, caller),
    write: ({ promotion }, lose) =>
      lose().then(() => promotion.releases.move("r1", { from: "frozen", state: "checked" })),
    state: ({ promotion }) => promotion.releases.find("r1"),
  },
  "the verification of a blob": {
    prepare: ({ oci }) =>
      oci.blobs.link(APP, { digest: digestOf(Buffer.of(1)), size: 1, key: "key" }),
    async write(database, lose) {
      const records = database.blobRecords("oci", caller);
      const [blob] = await records.blobs({ limit: 1 });
      if (!blob) throw new Error("the blob has no row");
      await lose();
      await records.markVerified(blob);
    },
    state: (database) => database.blobRecords("oci", caller).blobs({ limit: 1 }),
  },
};

describe.each(testableDatabases())("leases in %s", (type) => {
  const openClocked = async () => {
    const clock = { ms: START.getTime() };
    const database = await openTestDatabase({ type, now: () => new Date(clock.ms) });
    /** Lets the lease expire and another holder take it. */
    const lose = async () => {
      clock.ms += HOUR_MS;
      expect(await database.leases.acquire("job", "another", 5 * 60_000)).toBeDefined();
    };
    return { clock, database, lose };
  };
  const options = { name: "job", leaseMs: HOUR_MS };

  test.each(leasesContract)("$name", async ({ run }) => {
    const { clock, database } = await openClocked();
    await using _ = database;
    await run({ leases: database.leases, pass: (ms) => void (clock.ms += ms) });
  });

  test("every kind of transaction fails after another holder took the lease", async () => {
    const { database, lose } = await openClocked();
    await using _ = database;
    const publish = (version: string) =>
      database.nuget.recorder.record(newPackage({ id: "Acme", version }), caller);
    await runLeased(database.leases, options, async () => {
      await publish("1.0.0");
      await lose();
      await expect(publish("2.0.0")).rejects.toThrow(LostLeaseError);
      const deleted = database.nuget.lifecycle.delete("Acme", "1.0.0", caller);
      await expect(deleted).rejects.toThrow(LostLeaseError);
      const recorded = database.events.record([{ type: "gc.completed", subject: "x", caller }]);
      await expect(recorded).rejects.toThrow(LostLeaseError);
    });
    const versions = await database.nuget.lookup.versions("acme");
    expect(versions.map(({ version }) => version)).toEqual(["1.0.0"]);
    // Outside of the leased work nothing is compared.
    await publish("3.0.0");
  });

  test.each(Object.entries(SINGLE_WRITES))(
    "%s fails after another holder took the lease",
    async (_, { prepare, write, state }) => {
      const { database, lose } = await openClocked();
      await using opened = database;
      await prepare(opened);
      const before = await state(database);
      const lost = runLeased(database.leases, options, () => write(database, lose));
      await expect(lost).rejects.toThrow(LostLeaseError);
      expect(await state(database)).toEqual(before);

      await database.leases.release("job", "another");
      await runLeased(database.leases, options, () => write(database, () => Promise.resolve()));
      expect(await state(database)).not.toEqual(before);
    },
  );

  test("leased work inserts a row with a taken key as other work does", async () => {
    const { database } = await openClocked();
    await using _ = database;
    const create = () => database.oci.uploads.create(UPLOAD);
    await create();
    const outside = await create();
    const inside = await runLeased(database.leases, options, create);
    expect(inside).toEqual({ status: "ended", result: outside });
  });

  test("leased work extends and releases other leases after it has lost its own", async () => {
    const { database, lose } = await openClocked();
    await using _ = database;
    const { leases } = database;
    await runLeased(leases, options, async () => {
      await lose();
      const inner = await runLeased(leases, { ...options, name: "inner" }, () =>
        leases.acquire("third", "holder", 5 * 60_000),
      );
      expect(inner).toEqual({ status: "ended", result: 1 });
    });
    expect(await leases.acquire("inner", "another", 5 * 60_000)).toBe(2);
  });
});
