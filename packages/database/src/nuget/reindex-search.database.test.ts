import { parseSearchQuery } from "@sealhouse/nuget-protocol";
import { newPackage, testCaller } from "@sealhouse/nuget-protocol/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import { migrateDatabase } from "../schema/ensure-schema.ts";
import { openTestParts } from "../testing/open-test-parts.ts";
import { stopTestCluster, testableDatabases } from "../testing/index.ts";
import { reindexSearch } from "./reindex-search.ts";

/** Statements that undo the migration, and data that older releases lacked. */
const UNDO = {
  Sqlite: ["drop table nuget_search_entries", "drop table nuget_search_words"],
  PostgreSQL: [
    "drop table nuget_search_words",
    "drop table nuget_search_entries cascade",
    "drop function nuget_search_follow()",
    "drop function nuget_search_lexemes(text, text)",
    "drop function nuget_search_letters(text, integer, text)",
    "drop function nuget_search_pairs(text)",
  ],
  MySql: [],
};
const OLDER = [
  "drop index nuget_packages_popular",
  "drop index nuget_versions_shown",
  "delete from nuget_dependencies",
  "update nuget_versions set target_frameworks = null, dependency_ids = null",
  "update nuget_packages set owners = null",
  "delete from sealhouse_migrations where name like '%nuget_search'",
];

const databases = testableDatabases().filter((type) => type !== "MySql" && type !== "SqlServer");

describe.each(databases)("%s", (type) => {
  test("search works after the migration from an older release", async () => {
    await using parts = await openTestParts(type);
    const before = await openDatabase(parts.config);
    const dependencyGroups = [
      { targetFramework: "net8.0", dependencies: [{ id: "Acme.Base", range: "(, )" }] },
    ];
    const details = JSON.stringify({ description: "A bright lamp", dependencyGroups });
    await before.nuget.recorder.record(
      newPackage({ id: "Acme.Lamp", version: "1.0.0" }, { details, dependencyIds: ["acme.base"] }),
      testCaller,
    );
    for (const version of ["1.0.0", "1.1.0-beta", "2.0.0-x.1", "2.0.0"]) {
      await before.nuget.recorder.record(newPackage({ id: "Acme.Base", version }), testCaller);
    }
    await before.nuget.recorder.setListed("acme.base", "2.0.0", false, testCaller);
    const answers = await answersOf(before);
    await before[Symbol.asyncDispose]();

    const connections = await openConnections(parts.config);
    for (const sql of [...UNDO[type], ...OLDER]) await connections.port.run({ sql }, []);
    await closeConnections(connections);
    const { applied } = await migrateDatabase(parts.config);
    expect(applied).toEqual([expect.stringContaining("nuget_search")]);

    await using after = await openDatabase(parts.config);
    expect(await answersOf(after)).toEqual(answers);
    const { hits } = await after.nuget.search.search(query("q=lamp&framework=net472"));
    expect(hits).toEqual([]);
  });

  test("does not write existing entries again", async () => {
    await using parts = await openTestParts(type);
    const { changes } = parts;
    const { recorder: packages } = parts.database.nuget;
    for (let index = 0; index < 210; index++) {
      await packages.record(newPackage({ id: `Acme.P${index}`, version: "1.0.0" }), testCaller);
    }
    const sql =
      "select version_id, filters, id_words from nuget_search_entries order by version_id";
    const entries = await parts.connections.port.all({ sql }, []);
    expect(entries).toHaveLength(210);
    for (const removed of [0, 210]) {
      await changes.transaction(async (unit) => {
        const drop = "delete from nuget_search_entries where version_id <= ?";
        await unit.run({ sql: drop }, [removed]);
        await reindexSearch(unit);
      });
      expect(await parts.connections.port.all({ sql }, [])).toEqual(entries);
    }
  });
});

afterAll(stopTestCluster);

function query(text: string) {
  return parseSearchQuery(new URLSearchParams(text));
}

async function answersOf({ nuget }: Database): Promise<unknown> {
  const answers = [];
  for (const filter of ["", "&prerelease=true", "&prerelease=true&semVerLevel=2.0.0"]) {
    for (const text of ["q=acme", "q=bright", "q=lamp&framework=net8.0", "q=id:base"]) {
      const { totalHits, hits } = await nuget.search.search(query(text + filter));
      answers.push([totalHits, hits.map((hit) => [hit.id, hit.newest.version])]);
    }
  }
  return [answers, await nuget.search.dependents("acme.base", { skip: 0, take: 20 })];
}
