import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { newPackage } from "@sealhouse/nuget-protocol/testing";
import type { ReleaseItem, ReleaseMember } from "@sealhouse/promotion";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openTestDatabase, leaveTestServers, testableDatabases } from "../testing/index.ts";

const CALLER = { actor: "tester" };
const NOW = new Date("2126-01-01T00:00:00Z");

afterAll(leaveTestServers);

function itemOf(protocol: "npm" | "nuget", member: Partial<ReleaseMember>): ReleaseItem {
  const received = { sha256: "", sha512: "" };
  const frozen = { protocol, name: "", version: "1.0.0", size: 1, mediaType: "", tags: [] };
  const id = `r1/${protocol}`;
  const state = { state: "ready", wasThere: false, attempts: 0 } as const;
  return { id, target: "prod", ...state, member: { ...frozen, received, ...member } };
}

/** Publishes a package of each protocol, and freezes a release of both. */
async function freeze(database: Database) {
  const { npm, nuget, promotion } = database;
  const version = newNpmVersion({ name: "demo", version: "1.0.0" });
  const nupkg = newPackage({ id: "Acme.Json", version: "1.0.0" });
  await npm.recorder.publish(version, CALLER);
  await nuget.recorder.record(nupkg, CALLER);
  const digests = (sha256: string) => ({ received: { sha256, sha512: "" } });
  const items = [
    itemOf("npm", { name: "demo", ...digests(version.blob.sha256) }),
    itemOf("nuget", { name: "Acme.Json", ...digests(nupkg.blob.sha256) }),
  ];
  const parts = {
    id: "r1",
    key: "k1",
    lane: "l1",
    group: "web",
    targets: ["prod"],
    items,
  } as const;
  await promotion.releases.open({ ...parts, kind: "promotion" }, CALLER);
  const keys = [version.blob.key, nupkg.blob.key];
  const deleteAll = async () => {
    const { revision = 0 } = (await npm.lookup.find("demo")) ?? {};
    const removal = { versions: "all", revision } as const;
    expect(await npm.lifecycle.unpublish("demo", removal, CALLER)).toBe("deleted");
    expect(await nuget.lifecycle.delete("Acme.Json", "1.0.0", CALLER)).toBe("deleted");
  };
  return { members: items.map(({ member }) => member), keys, deleteAll };
}

describe.each(testableDatabases())("%s", (type) => {
  test("a release holds deleted packages until it ends", async () => {
    await using database = await openTestDatabase({ type });
    const { releases, control, held } = database.promotion;
    const { members, keys, deleteAll } = await freeze(database);
    const [module, nupkg] = members;
    if (!module || !nupkg) throw new Error("the release has no members");
    await deleteAll();
    expect(await database.npm.lookup.find("demo")).toBeUndefined();
    expect(await database.blobs.isNamed(keys)).toEqual(new Set(keys));
    const kept = await held.npm(module);
    expect(kept?.version).toMatchObject({ version: "1.0.0", shasum: expect.any(String) });
    expect([kept?.tarball.key, (await held.nuget(nupkg))?.blob.key]).toEqual(keys);
    const other = { ...module, received: { sha256: "0".repeat(64), sha512: "" } };
    expect(await held.npm(other)).toBeUndefined();

    await releases.move("r1", { from: "frozen", state: "failed", endedAt: NOW });
    expect(await database.blobs.isNamed(keys)).toEqual(new Set());
    expect(await held.npm(module)).toBeUndefined();
    expect(await control.resume("r1", CALLER)).toBe("resumed");
  });

  test("what is not deleted stays after the end of a release, and can be held again", async () => {
    await using database = await openTestDatabase({ type });
    const { releases, control } = database.promotion;
    const { keys, deleteAll } = await freeze(database);
    await releases.move("r1", { from: "frozen", state: "failed", endedAt: NOW });
    expect(await database.blobs.isNamed(keys)).toEqual(new Set(keys));
    await control.resume("r1", CALLER);
    await deleteAll();
    expect(await database.blobs.isNamed(keys)).toEqual(new Set(keys));
  });
});
