import { setTimeout as wait } from "node:timers/promises";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Parameter, Statement } from "./raw/query-port.ts";
import { openTestParts } from "./testing/open-test-parts.ts";
import type { TestParts } from "./testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "./testing/index.ts";
import { together } from "./transactions/together.ts";

const COUNTED = [
  "blobs",
  "documents",
  "document_groups",
  "events",
  "host_tokens",
  "nuget_packages",
  "nuget_versions",
];

describe.each(testableDatabases())("%s", (type) => {
  test("rolls both contexts back together", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const broken = changes.transaction(async (unit) => {
      await unit.run(...insertOf("host_tokens", HOST_TOKEN));
      await changes.stale(unit, "nuget/acme");
      await unit.run(...insertOf("leases", LEASE));
      expect(await unit.read({ sql: "select id from host_tokens" }, [])).toHaveLength(1);
      throw new Error("changed its mind");
    });
    await expect(broken).rejects.toThrow("changed its mind");
    expect(await rowCounts(parts)).toEqual(nothing());
    expect(await parts.connections.port.all({ sql: "select name from leases" }, [])).toEqual([]);
  });

  test("a failed statement rolls back those that were sent with it", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const broken = changes.transaction((unit) =>
      together([
        changes.stale(unit, "nuget/acme"),
        unit.run({ sql: "insert into no_such_table values (1)" }, []),
        unit.run(...insertOf("host_tokens", HOST_TOKEN)),
        changes.stale(unit, "nuget/other"),
      ]),
    );
    await expect(broken).rejects.toThrow("no_such_table");
    expect(await rowCounts(parts)).toEqual(nothing());
    await changes.transaction((unit) => changes.stale(unit, "nuget/acme"));
    expect(await rowCounts(parts)).toEqual({ ...nothing(), document_groups: 1 });
  });

  test("a refused event rolls back its publish", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const { recorder: packages } = parts.database.nuget;
    const refused = changes.transaction(async (unit) => {
      await changes.stale(unit, "nuget/acme");
      await unit.run(...insertOf("blobs", blobRow()));
      const event = { type: "package.published", subject: "nuget/Acme@1.0.0" } as const;
      await changes.event(unit, { ...event, caller: testCaller, detail: { password: "x" } });
    });
    await expect(refused).rejects.toMatchObject({ name: "SecretInEventError" });
    expect(await rowCounts(parts)).toEqual(nothing());
    const outcome = await packages.record(newPackage({ id: "A", version: "1.0.0" }), testCaller);
    expect(outcome.status).toBe("recorded");
  });

  test("yields to other work between changes and within a long one", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages, lifecycle } = parts.database.nuget;
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    for (let minor = 0; minor < 150; minor += 1) {
      const version = newPackage({ id: "Acme", version: `1.${minor}.0` });
      await packages.record(version, testCaller);
    }
    const before = turns;
    expect(before).toBeGreaterThan(10);
    const deprecation = { reasons: ["Legacy"] } as const;
    expect(await lifecycle.deprecate("acme", "all", deprecation, testCaller)).toHaveLength(150);
    expect(turns).toBeGreaterThan(before);
    clearInterval(timer);
  });

  test("calls listeners after a commit, never after a rollback", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const messages: string[] = [];
    await changes.transaction(async (unit) => {
      unit.afterCommit(() => messages.push("committed"));
      await unit.read({ sql: "select 1 as one" }, []);
      expect(messages).toEqual([]);
    });
    await changes
      .transaction(async (unit) => {
        unit.afterCommit(() => messages.push("rolled back"));
        throw new Error("no");
      })
      .catch(() => undefined);
    expect(messages).toEqual(["committed"]);
  });

  test("repeats a transaction when another inserted the missing row", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    let attempts = 0;
    const open = () =>
      changes.transaction(async ({ read, run }) => {
        attempts += 1;
        if ((await read({ sql: "select name from leases" }, [])).length > 0) return "found";
        await wait(20);
        await run(...insertOf("leases", LEASE));
        return "inserted";
      });
    const outcomes = await Promise.all([open(), open(), open()]);
    expect(outcomes.toSorted()).toEqual(["found", "found", "inserted"]);
    expect(attempts).toBeGreaterThanOrEqual(3);
  });

  test("gives up on a conflict that does not go away", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const twice = changes.transaction(async ({ run }) => {
      await run(...insertOf("leases", LEASE));
      await run(...insertOf("leases", LEASE));
    });
    await expect(twice).rejects.toThrow(/key exists already|duplicate/i);
  });

  test("finishes twenty parallel publishes while serving reads", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages } = parts.database.nuget;
    let turns = 0;
    const pulse = setInterval(() => (turns += 1), 0);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        packages.record(newPackage({ id: `Acme.P${index}`, version: "1.0.0" }), testCaller),
      ),
    );
    clearInterval(pulse);
    expect(outcomes.every(({ status }) => status === "recorded")).toBe(true);
    expect(turns).toBeGreaterThan(0);
  });

  test("stores any client text", async () => {
    await using parts = await openTestParts(type);
    const { recorder: packages } = parts.database.nuget;
    const { recorder: npm } = parts.database.npm;
    const odd = "q'uote \" back\\slash ? ?? $1 :name \\' %_ \u{1f9ad} \u0000 \ud800 [raw]: x (#1)";
    const oddPackage = newPackage(
      { id: "Odd", version: "1.0.0" },
      { description: odd, title: odd },
    );
    expect((await packages.record(oddPackage, { ...testCaller, actor: odd })).status).toBe(
      "recorded",
    );
    const manifest = JSON.stringify({ name: "odd", version: "1.0.0", description: odd });
    const published = await npm.publish(
      {
        name: "odd",
        version: "1.0.0",
        manifest,
        abbreviated: manifest,
        integrity: "sha512-x",
        shasum: "0".repeat(40),
        fileCount: 1,
        unpackedSize: 1,
        publishedAt: new Date(),
        blob: { key: "npm/odd", size: 1, sha256: "ab".repeat(32) },
        tags: ["latest"],
        readme: odd,
        readmeFilename: odd.repeat(20),
        description: odd,
        dependencyNames: [],
        keywords: [odd],
      },
      { actor: odd.repeat(40), requestId: odd.repeat(40), address: odd.repeat(40) },
    );
    expect(published.status).toBe("published");
    const { port } = parts.connections;
    const stored = await port.one(
      {
        sql:
          "select manifest, readme from npm_versions v join" +
          " npm_packages p on p.id = v.package_id",
      },
      [],
    );
    expect(stored?.["manifest"]).toBe(manifest);
    expect(stored?.["readme"]).toContain("q'uote \" back\\slash ? ?? $1 :name \\' %_ \u{1f9ad}");
  });
});

test("SQLite continues after an error that ends its transaction", async () => {
  await using parts = await openTestParts("Sqlite");
  const { changes } = parts;
  const sql =
    "insert or rollback into leases (name, holder, fence, held_until) values (?, ?, 1, 0)";
  const broken = changes.transaction(async ({ run }) => {
    await run({ sql }, ["x", "h"]);
    await run({ sql }, ["x", "h"]);
  });
  await expect(broken).rejects.toThrow("A row with this key exists already.");
  await changes.transaction(async ({ run }) => void (await run({ sql }, ["y", "h"])));
  await changes.transaction(async ({ run }) => void (await run({ sql }, ["z", "h"])));
  const rows = await parts.connections.port.all({ sql: "select name from leases" }, []);
  expect(rows).toEqual([{ name: "y" }, { name: "z" }]);
});

test.each(testableDatabases().filter((type) => type !== "Sqlite"))(
  "%s: a pending change never leaves a document of the old state",
  async (type) => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const { documents } = parts.database;
    const group = "nuget/acme";
    await changes.transaction((unit) => changes.stale(unit, group));
    const revision = await documents.revision(group);
    let pendingWrite: Promise<void> | undefined;
    await changes.transaction(async (unit) => {
      await changes.stale(unit, group);
      const document = {
        etag: "old",
        contentType: "text/plain",
        modifiedAt: new Date(),
        identity: Buffer.from("old"),
      };
      pendingWrite = documents.keep({ key: "k", group, revision, document });
      await wait(100);
    });
    await pendingWrite;
    expect(await documents.read("k")).toBeUndefined();
  },
);

afterAll(leaveTestServers);

const LEASE = { name: "x", holder: "h", fence: 1, held_until: new Date() };
const HOST_TOKEN = {
  id: "never",
  name: "never",
  prefix: "never",
  hash: "x",
  scheme: 1,
  scopes: "[]",
  protocols: "[]",
  patterns: "[]",
  networks: "[]",
  created_at: new Date(),
};

function blobRow(): Readonly<Record<string, Parameter>> {
  const times = { touched_at: new Date(), created_at: new Date() };
  return {
    protocol: "nuget",
    digest: "sha256:x",
    size: 1,
    storage_key: "k",
    state: "live",
    ...times,
  };
}

function insertOf(
  table: string,
  row: Readonly<Record<string, Parameter>>,
): [Statement, readonly Parameter[]] {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  const sql = `insert into ${table} (${columns.join(", ")}) values (${places})`;
  return [{ sql }, Object.values(row)];
}

async function rowCounts({ connections }: TestParts): Promise<Record<string, unknown>> {
  const counts: Record<string, unknown> = {};
  for (const table of COUNTED) {
    const row = await connections.port.one({ sql: `select count(*) as total from ${table}` }, []);
    counts[table] = row?.["total"];
  }
  return counts;
}

function nothing(): Record<string, unknown> {
  return Object.fromEntries(COUNTED.map((table) => [table, 0]));
}
