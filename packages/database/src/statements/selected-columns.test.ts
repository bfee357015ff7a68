import { sql } from "#kysely";
import { expect, test } from "vitest";
import { sqliteDialect } from "./dialects/sqlite.ts";
import { selectedColumns } from "./selected-columns.ts";

const { db } = sqliteDialect();

const QUERIES = {
  "a column of a table": [
    db.selectFrom("leases").select(["name", "held_until"]),
    { held_until: "time" },
  ],
  "columns of joined tables, under other names": [
    db
      .selectFrom("nuget_versions as v")
      .innerJoin("nuget_packages as p", "p.id", "v.package_id")
      .select(["v.listed as shown", "v.published_at as at", "p.lower_id", "is_prerelease"]),
    { shown: "flag", at: "time", is_prerelease: "flag" },
  ],
  "columns whose names other columns have": [
    db
      .selectFrom("oci_tags as t")
      .innerJoin("oci_repositories as r", "r.id", "t.repository_id")
      .select(["r.name as updated_at", "t.updated_at as held_until"]),
    { held_until: "time" },
  ],
  "the columns of a query inside": [
    db
      .selectFrom(db.selectFrom("leases").select("held_until as until").as("l"))
      .select(["l.until as end"]),
    { end: "time" },
  ],
  "the columns of a named query": [
    db
      .with("ends", (inner) => inner.selectFrom("leases").select("held_until as until"))
      .selectFrom("ends as e")
      .select("e.until"),
    { until: "time" },
  ],
  "the latest time, and no other computed column": [
    db
      .selectFrom("leases")
      .select(({ fn }) => [
        fn.max("held_until").as("last"),
        fn.countAll<number>().as("created_at"),
        sql<number>`1`.as("listed"),
      ]),
    { last: "time" },
  ],
  "the columns of a union": [
    db.selectFrom("leases").select("held_until as at").union(db.selectFrom("events").select("at")),
    { at: "time" },
  ],
} as const;

test.each(Object.entries(QUERIES))("decodes %s by the declared type", (_what, [query, types]) => {
  expect(selectedColumns(query.toOperationNode())).toEqual(types);
});
