import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import { leaveTestServers, testableDatabases } from "../testing/index.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import type { TestParts } from "../testing/open-test-parts.ts";
import { claimOwn } from "./name-origins.ts";

const caller = { actor: "ada" };

/** Claims a name as a publish does. */
function publish({ changes }: TestParts, name: string) {
  return changes.transaction(async (unit) => {
    await changes.stale(unit, `npm/${name}`);
    return claimOwn(unit, { protocol: "npm", name, now: changes.now() });
  });
}

describe.each(testableDatabases())("%s", (type) => {
  test("does not claim a published name, and does not publish a mirrored one", async () => {
    await using parts = await openTestParts(type);
    const { origins } = parts.database.upstream;
    expect(await publish(parts, "mine")).toBeUndefined();
    expect((await origins.claim("npm", "mine", "npmjs")).origin).toBe("own");
    await origins.claim("npm", "theirs", "npmjs");
    expect(await publish(parts, "theirs")).toEqual({ mirroredFrom: "npmjs" });
    expect(await origins.ownNames("npm", { after: "", limit: 10 })).toEqual(["mine"]);
  });

  test("counts the names of a source, and their versions here", async () => {
    await using parts = await openTestParts(type);
    const { upstream, npm } = parts.database;
    const countOf = (source: string) => upstream.mirroredFrom({ protocol: "npm", source });
    expect(await countOf("npmjs")).toEqual({ names: 0, versions: 0 });
    for (const name of ["one", "two"]) await upstream.origins.claim("npm", name, "npmjs");
    await upstream.origins.claim("npm", "three", "other");
    for (const version of ["1.0.0", "1.0.1"]) {
      const mirrored = newNpmVersion({ name: "one", version, mirroredFrom: "npmjs" });
      expect(await npm.recorder.publish(mirrored, caller)).toMatchObject({ status: "published" });
    }
    expect(await countOf("npmjs")).toEqual({ names: 2, versions: 2 });
    expect(await countOf("other")).toEqual({ names: 1, versions: 0 });
    for (const protocol of ["nuget", "oci"] as const) {
      const none = await upstream.mirroredFrom({ protocol, source: "npmjs" });
      expect(none).toEqual({ names: 0, versions: 0 });
    }
  });

  test("a publish and a claim of one name at the same time agree on its origin", async () => {
    await using parts = await openTestParts(type);
    const { origins } = parts.database.upstream;
    const names = Array.from({ length: 10 }, (_, index) => `name-${index}`);
    for (const name of names) {
      const [refused, claimed] = await Promise.all([
        publish(parts, name),
        origins.claim("npm", name, "npmjs"),
      ]);
      expect(claimed.origin).toBe(refused ? "mirrored" : "own");
    }
  });

  test("a name of a reserved pattern can be published, even after it was mirrored", async () => {
    await using parts = await openTestParts(type);
    const { origins } = parts.database.upstream;
    await origins.claim("npm", "@acme/old", "npmjs");
    await origins.reserve("npm", "@acme/*", caller);
    for (const name of ["@acme/old", "@acme/new"]) {
      expect(await publish(parts, name)).toBeUndefined();
    }
    await origins.release("npm", "@acme/*", caller);
    expect((await origins.find("npm", "@acme/old"))?.origin).toBe("own");
    expect((await origins.find("npm", "@acme/new"))?.origin).toBe("own");
  });
});

afterAll(leaveTestServers);
