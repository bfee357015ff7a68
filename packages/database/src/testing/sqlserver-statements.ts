import { parseSearchQuery } from "@sealhouse/nuget-protocol";
import type { SearchQuery } from "@sealhouse/nuget-protocol";
import { createNpmSearch } from "../npm/search/npm-search.ts";
import { createPackageSearch } from "../nuget/search/package-search.ts";
import { searchDialect } from "../nuget/search/search-dialects.ts";
import type { LimitedFilter } from "../npm/search/search-pages.ts";
import { openDatabase } from "../open-database.ts";
import { allStatements } from "../statements/statement.ts";
import type { AnyStatement } from "../statements/typed-statement.ts";

/** A statement of the product in SQL Server's words. */
export type SqlServerStatement = {
  readonly name: string;
  readonly sql: string;
  /** SQL Server's types by the names of the parameters. */
  readonly parameters: Readonly<Record<string, string>>;
};

const NPM_SEARCHES: readonly LimitedFilter[] = [
  { text: "" },
  { text: "left pad" },
  { text: "pad", boostExact: false, scope: "@acme", keywords: [["a", "b"], ["c"]] },
  { text: "pad", without: ["deprecated"], only: ["unstable"], maintainers: ["alice"] },
  {
    text: "pad",
    names: ["@acme/*"],
    hidden: { isSignedIn: true, owners: ["1"], has: () => false },
    ownOnly: true,
    notFrom: ["npmjs"],
  },
];

const NUGET_SEARCHES = [
  "",
  "q=acme",
  "q=acme%20json&prerelease=true&semVerLevel=2.0.0",
  "q=id:acme%20tags:json",
  "q=packageid:acme",
  "q=acme&packageType=DotnetTool&skip=20",
  "q=version:1.0.0",
];

/** Statements with functions of PostgreSQL, for which alone they are. */
const OF_POSTGRESQL: ReadonlySet<string> = new Set(["gc-plain-plans"]);

/** Compiles every statement of the ports, and those that searches compose. */
export async function sqlServerStatements(): Promise<readonly SqlServerStatement[]> {
  // Its module loads all statements of the ports.
  if (typeof openDatabase !== "function") throw new Error("There are no statements.");
  const named = [...allStatements()].filter(
    ([name]) => !name.startsWith("test-") && !OF_POSTGRESQL.has(name),
  );
  const composed = [...(await nugetSearches()), ...(await npmSearches())];
  return [
    ...named.map(([name, statement]) => compiledOf(name, statement)),
    ...composed.map((statement, index) => compiledOf(`search-${index}`, statement)),
  ];
}

function compiledOf(name: string, statement: AnyStatement): SqlServerStatement {
  const { sql, places } = statement.compiled("SqlServer");
  const types = places.map((place) => {
    if ("kind" in place) return place.kind.sqlServer;
    return typeof place.constant === "number" ? "bigint" : "nvarchar(4000)";
  });
  return {
    name,
    sql,
    parameters: Object.fromEntries(types.map((type, index) => [`@${index + 1}`, type])),
  };
}

/** The statements of NuGet searches, for few and for many matches. */
async function nugetSearches(): Promise<readonly AnyStatement[]> {
  const seen: AnyStatement[] = [];
  for (const matches of [1, 500, 5_000]) {
    const note = (statement: AnyStatement) => {
      if (statement.name === undefined) seen.push(statement);
    };
    const queries = {
      all: async (statement: AnyStatement) => (note(statement), []),
      one: async (statement: AnyStatement) => (note(statement), undefined),
      run: async () => 0,
    };
    const count = async (statement: AnyStatement) => (note(statement), matches);
    const search = createPackageSearch(queries, searchDialect("SqlServer"), { count });
    for (const text of NUGET_SEARCHES) {
      const query: SearchQuery = parseSearchQuery(new URLSearchParams(text));
      await search.search(query);
      await search.search({ ...query, names: ["acme.*"] });
      const completion = { ...query, prefix: "ac" };
      await search.idsStartingWith(completion);
      await search.idsStartingWith({ ...completion, names: ["acme.*"] });
    }
    await search.dependents("acme", { skip: 0, take: 20 });
    await search.dependents("acme", { skip: 0, take: 20, names: ["acme.*"] });
  }
  return seen;
}

/** The statements of npm searches, for few and for many matches. */
async function npmSearches(): Promise<readonly AnyStatement[]> {
  const seen: AnyStatement[] = [];
  for (const matches of [1, 5_000]) {
    const note = (statement: AnyStatement) => {
      if (statement.name === undefined) seen.push(statement);
    };
    const queries = {
      one: async (statement: AnyStatement) => {
        note(statement);
        return { total: matches } as never;
      },
      all: async (statement: AnyStatement) => {
        note(statement);
        return [];
      },
    };
    const search = createNpmSearch({ type: "SqlServer", port: {}, queries });
    for (const filter of NPM_SEARCHES) await search.search({ ...filter, from: 0, size: 20 });
  }
  return seen;
}
