import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openTestParts } from "../testing/open-test-parts.ts";

const alice = { actor: "alice" };

describe.each(testableDatabases())("%s", (type) => {
  test("writes one event for each version that changes, and none where nothing does", async () => {
    await using database = await openTestDatabase({ type });
    const { recorder, lifecycle, owners, lookup } = database.npm;
    const revision = async () => (await lookup.find("demo"))?.revision ?? -1;
    await recorder.publish(newNpmVersion({}), alice);
    await recorder.publish(newNpmVersion({}), alice);
    await recorder.publish(newNpmVersion({ version: "1.1.0" }), alice);
    const texts = new Map([
      ["1.0.0", "old"],
      ["1.1.0", undefined],
    ]);
    await lifecycle.deprecate("demo", texts, alice);
    await lifecycle.deprecate("demo", texts, alice);
    await lifecycle.deprecate("demo", new Map([["1.0.0", undefined]]), alice);
    const maintainers = [{ name: "bob" }];
    await owners.setMaintainers("demo", { maintainers, revision: await revision() }, alice);
    await owners.setMaintainers("demo", { maintainers, revision: 1 }, alice);
    await owners.setAccess("demo", "restricted", alice);
    await owners.setAccess("demo", "restricted", alice);
    const some = { versions: ["1.1.0"], revision: await revision() };
    await lifecycle.unpublish("demo", some, alice);
    await lifecycle.unpublish("demo", some, alice);
    await recorder.publish(newNpmVersion({ version: "1.2.0", deprecated: "use 2" }), alice);
    const all = { versions: "all", revision: await revision() } as const;
    await lifecycle.unpublish("demo", all, alice);
    await recorder.publish(newNpmVersion({}), alice);

    const events = await database.events.outbox.pending("test", 100);
    const lines = events.map(({ type: what, subject, caller, detail }) => {
      expect(caller).toMatchObject(alice);
      return [what, subject, detail];
    });
    const bytes = { size: 7, sha256: expect.stringMatching(/^[\da-f]{64}$/) };
    const published = { ...bytes, integrity: expect.stringMatching(/^sha512-/) };
    const set = { salt: expect.any(String), sha256: expect.any(String) };
    expect(lines).toEqual([
      ["package.published", "npm/demo@1.0.0", { ...published, tags: ["latest"] }],
      ["package.published", "npm/demo@1.1.0", { ...published, tags: ["latest"] }],
      ["package.deprecated", "npm/demo@1.0.0", { message: "old" }],
      ["package.deprecated", "npm/demo@1.0.0", { lifted: true }],
      ["package.owners-changed", "npm/demo", { maintainers: ["bob"], set }],
      ["package.access-changed", "npm/demo", { access: "restricted" }],
      ["package.deleted", "npm/demo@1.1.0", bytes],
      ["package.published", "npm/demo@1.2.0", { ...published, tags: ["latest"] }],
      ["package.deprecated", "npm/demo@1.2.0", { message: "use 2" }],
      ["package.deleted", "npm/demo@1.0.0", bytes],
      ["package.deleted", "npm/demo@1.2.0", bytes],
    ]);
  });

  test("keeps only a tombstone of each version", async () => {
    await using parts = await openTestParts(type);
    const { recorder: npm, lifecycle: npmLifecycle } = parts.database.npm;
    const { port } = parts.connections;
    const newVersion = newNpmVersion({ readme: "text", dependencyNames: ["left", "right"] });
    await npm.publish(newVersion, alice);
    const [version] = await port.all({ sql: "select dependency_names from npm_versions" }, []);
    expect(version).toEqual({ dependency_names: '["left","right"]' });

    await npmLifecycle.unpublish("demo", { versions: "all", revision: 1 }, alice);
    for (const table of ["npm_packages", "npm_versions", "npm_tags", "npm_dependencies", "blobs"]) {
      expect([table, await port.all({ sql: `select * from ${table}` }, [])]).toEqual([table, []]);
    }
    const tombstones = { sql: "select name, version, integrity, removed_by from npm_tombstones" };
    const { name, version: number, integrity } = newVersion;
    expect(await port.all(tombstones, [])).toEqual([
      { name, version: number, integrity, removed_by: "alice" },
    ]);
  });

  test("keeps the bytes of a version that waits for approval", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const { recorder: npm, lifecycle: npmLifecycle } = parts.database.npm;
    const { port } = parts.connections;
    await npm.publish(newNpmVersion({}), alice);
    await changes.transaction(({ run }) =>
      run(
        {
          sql: `insert into staged_versions (id, protocol, name, version, summary, details, actor,
              created_at, expires_at, blob_id)
            select 'staged', 'npm', 'other', '1.0.0', '{}', '{}', 'bob', v.published_at,
              v.published_at, v.blob_id from npm_versions v`,
        },
        [],
      ),
    );
    await npmLifecycle.unpublish("demo", { versions: "all", revision: 1 }, alice);
    expect(await port.all({ sql: "select protocol from blobs" }, [])).toEqual([
      { protocol: "npm" },
    ]);
  });
});

afterAll(leaveTestServers);
