import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "../open-database.ts";
import { migrateDatabase } from "../schema/migrate-database.ts";
import { startChild } from "../testing/child.ts";
import { openTestPlace, leaveTestServers, testableDatabases } from "../testing/index.ts";

describe.each(testableDatabases())("%s", (type) => {
  test("two processes publish 20 versions of one package without a loss", async () => {
    await using place = await openTestPlace(type);
    await migrateDatabase(place.config);
    const config = JSON.stringify(place.config);
    const childLines = await Promise.all(
      ["0", "10"].map(async (first) => {
        const child = startChild("./child-npm-publish.ts", config, first, "10");
        const [lines] = await Promise.all([Array.fromAsync(child.lines), child.ended]);
        return lines;
      }),
    );
    const versions = Array.from({ length: 20 }, (_, n) => `1.0.${n}`).toSorted();
    expect(childLines.flat().toSorted()).toEqual(versions.map((version) => `published ${version}`));

    await using database = await openDatabase(place.config);
    const npmPackage = await database.npm.lookup.find("demo");
    expect(npmPackage?.versions.map(({ version }) => version).toSorted()).toEqual(versions);
    expect(npmPackage?.revision).toBe(20);
    const newest = npmPackage?.versions.at(-1)?.version;
    expect(npmPackage?.distTags).toEqual({ latest: newest });
    const events = await database.events.outbox.pending("test", 100);
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(
      versions.map((version) => `npm/demo@${version}`),
    );
  });
});

afterAll(leaveTestServers);
