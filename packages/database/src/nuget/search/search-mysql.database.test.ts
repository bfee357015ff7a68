import { sql } from "#kysely";
import type { Clause, WordField } from "@sealhouse/nuget-protocol";
import { afterAll, expect, test } from "vitest";
import { openTestParts } from "../../testing/open-test-parts.ts";
import { leaveTestServers, testableDatabases } from "../../testing/index.ts";
import { composeStatement } from "../../statements/statement.ts";
import type { FoundVersion, SearchDialect } from "./search-dialect.ts";
import { likeDialect } from "./search-like.ts";
import { mysqlDialect } from "./search-mysql.ts";

type Entry = { readonly filters?: string; readonly id: string; readonly title?: string };

const ENTRIES: readonly Entry[] = [
  { filters: "ways1", id: "acme json c", title: "the a tool" },
  { filters: "waya1", id: "acme xml", title: "to be json" },
  { filters: "ways1 ways2", id: "c", title: "привет мир 日本" },
  { filters: "ways1", id: "json acme jsonx", title: "tools \u{20bb7}\u{91ce} ab\u{20bb7}" },
  { id: "of the c", title: "acme" },
];

const BOTH: readonly WordField[] = ["idWords", "title"];

type SearchCase = readonly [what: string, clauses: readonly Clause[], except?: readonly Clause[]];

const searchCases: readonly SearchCase[] = [
  ["a word", [some("acme")]],
  ["the beginning of a word", [some("jso", { prefix: true })]],
  ["one letter", [some("c")]],
  ["words that begin with one letter", [some("t", { prefix: true })]],
  ["words that English is full of", [some("the"), some("of")]],
  ["one of several", [[...some("xml"), ...some("tool", { prefix: true })]]],
  ["two words at once", [some("acme", { prefix: true }), some("json", { prefix: true })]],
  ["words in this order", [some("acme json")]],
  ["words in this order, the last still typed", [some("json acme js", { prefix: true })]],
  ["a filter beside a word", [within(["filters"], "ways1"), some("acme", { prefix: true })]],
  ["a filter alone", [within(["filters"], "ways1")]],
  ["other scripts", [some("привет"), some("мир", { prefix: true })]],
  ["signs without words between them", [some("日", { prefix: true })]],
  ["letters that are younger than the server", [some("\u{20bb7}", { prefix: true })]],
  ["a word that such a letter goes on with", [some("ab", { prefix: true })]],
  ["all but some", [some("acme", { prefix: true })], [within(["idWords"], "acme")]],
  ["nothing that is there", [some("nowhere", { prefix: true })]],
];

test.runIf(testableDatabases().includes("MySql"))(
  "MySql: the index finds the same packages as a full scan",
  async () => {
    await using parts = await openTestParts("MySql");
    const { port, queries } = parts.connections;
    for (const [index, { filters = "", id, title = "" }] of ENTRIES.entries()) {
      const insert = `insert into nuget_search_entries (version_id, package_id, filters, id_words,
        id_parts, title, tags, authors, summary, description)
        values (?, 1, ?, ?, '', ?, '', '', '', '')`;
      await port.run({ sql: insert }, [index + 1, ` ${filters} `, ` ${id} `, ` ${title} `]);
    }
    const findIds = async (dialect: SearchDialect, [, ...clauses]: SearchCase) => {
      const rows = await queries.all(versionsOf(dialect, ...clauses), {});
      return rows.map((row) => row.version_id).toSorted((a, b) => a - b);
    };
    for (const searchCase of searchCases) {
      const [what] = searchCase;
      const expected = await findIds(likeDialect, searchCase);
      expect([what, await findIds(mysqlDialect, searchCase)]).toEqual([what, expected]);
      expect([what, expected.length > 0]).toEqual([what, what !== "nothing that is there"]);
    }
    const { sql: text, places } = versionsOf(mysqlDialect, [some("acme")]).compiled("MySql");
    const parameters = places.map((place) => ("constant" in place ? place.constant : undefined));
    const [plan] = await port.all({ sql: `explain ${text}` }, parameters as string[]);
    expect(plan).toMatchObject({ type: "fulltext", key: "nuget_search_entries_words" });
  },
);

afterAll(leaveTestServers);

function versionsOf(dialect: SearchDialect, ...clauses: Parameters<SearchDialect["versionsWith"]>) {
  const versions = dialect.versionsWith(...clauses);
  return composeStatement((db) =>
    db.selectFrom(sql<FoundVersion>`(${versions})`.as("m")).select("m.version_id"),
  );
}

function some(words: string, { prefix = false } = {}): Clause {
  return within(BOTH, words, { prefix });
}

function within(fields: readonly WordField[], words: string, { prefix = false } = {}): Clause {
  return [{ fields, words: words.split(" "), prefix }];
}
