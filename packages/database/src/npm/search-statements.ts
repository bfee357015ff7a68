import { sql } from "#kysely";
import type {
  Expression,
  ExpressionBuilder,
  Kysely,
  RawBuilder,
  SelectQueryBuilder,
  SqlBool,
} from "#kysely";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { param } from "../statements/kinds.ts";
import { isLike } from "../statements/like.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { HIDDEN_NAMES, hiddenParameters, isHidden } from "../visibility/hidden-names.ts";
import { NAME_PATTERNS, nameMatches } from "./name-limit.ts";

/** Groups of conditions. A search without a group has a statement without it. */
const GROUPS = [
  "term",
  "terms",
  "keyword",
  "keywords",
  "scope",
  "maintainer",
  "maintainers",
  "states",
  "names",
  "hidden",
  "ownOnly",
  "notFrom",
] as const;
export type SearchGroup = (typeof GROUPS)[number];

const FILTER = {
  /** Pattern of the first word. */
  term: param.optional(param.longText),
  /** Patterns of the other words. */
  terms: param.optional(param.records),
  /** Pattern of the only keyword. A list takes twice the time of one pattern. */
  keyword: param.optional(param.longText),
  /** Patterns of several keywords; one of each place must match. */
  keywords: param.optional(param.records),
  places: param.whole,
  scope: param.optional(param.longText),
  /** Pattern of the first maintainer. */
  maintainer: param.optional(param.longText),
  /** Patterns of the other maintainers. */
  maintainers: param.optional(param.records),
  deprecated: param.flag,
  undeprecated: param.flag,
  unstable: param.flag,
  stable: param.flag,
  scopedLikes: param.optional(NAME_PATTERNS.scopedLikes),
  scopedGlobs: param.optional(NAME_PATTERNS.scopedGlobs),
  likes: param.optional(NAME_PATTERNS.likes),
  globs: param.optional(NAME_PATTERNS.globs),
  ...HIDDEN_NAMES,
  /** Names of the sources whose packages are left out. */
  notFrom: param.optional(param.texts),
};
const PAGE = {
  ...FILTER,
  /** The name that comes first, in lower case. */
  exact: param.text(214),
  /** Pattern of the names that come next. */
  part: param.longText,
  skip: param.whole,
  take: param.whole,
};

type Groups = ReadonlySet<SearchGroup>;
type Statements = ReturnType<typeof declared>;

const statementCache = new Map<string, Statements>();

/** The statements with the conditions that a search has. */
export function searchStatements(groups: Groups, boostExact: boolean): Statements {
  // Short, because PostgreSQL cuts names after 63 bytes.
  const letters = GROUPS.map((group) => (groups.has(group) ? "1" : "0")).join("");
  const name = `npm-search-${letters}-${boostExact ? "exact" : "part"}`;
  const statements = statementCache.get(name) ?? declared(name, groups, boostExact);
  statementCache.set(name, statements);
  return statements;
}

function declared(name: string, groups: Groups, boostExact: boolean) {
  const count = defineStatement(`${name}-count`, FILTER, (db, parameters, own) =>
    matching({ db, parameters, own }, groups).select(({ fn }) => fn.countAll<number>().as("total")),
  );
  const page = defineStatement(name, PAGE, (db, parameters, own) =>
    own.page(
      matching({ db, parameters, own }, groups)
        .select([
          "p.name",
          "p.maintainers",
          "v.version",
          "v.description",
          "v.keywords",
          "v.published_at",
          "v.manifest",
          "v.deprecated",
        ])
        // The same order as `rankOf`.
        .orderBy((row) => {
          const lower = row.fn<string>("lower", ["p.name"]);
          const part = boostExact
            ? row
                .case()
                .when(lower, "=", parameters.exact)
                .then(row.lit(0))
                .when(isLike(lower, parameters.part))
            : row.case().when(isLike(lower, parameters.part));
          return part.then(row.lit(1)).else(row.lit(2)).end();
        })
        .orderBy("p.name"),
      parameters,
    ),
  );
  return { count, page };
}

type Parts = {
  readonly db: Kysely<Tables>;
  readonly parameters: Parameters<typeof FILTER>;
  readonly own: Dialect;
};

/** The versions that `latest` of each package points to, with the conditions of the groups. */
function matching(parts: Parts, groups: Groups) {
  let query = latestVersions(parts.db);
  for (const group of groups) query = query.where((row) => CONDITIONS[group](row, parts));
  return query;
}

const latestVersions = (db: Kysely<Tables>) =>
  db
    .selectFrom("npm_tags as t")
    .innerJoin("npm_packages as p", "p.id", "t.package_id")
    .innerJoin("npm_versions as v", "v.id", "t.version_id")
    .where("t.tag", "=", sql.lit("latest"));

type Latest = ReturnType<typeof latestVersions>;
type LatestExpressions =
  Latest extends SelectQueryBuilder<infer DB, infer Sources, unknown>
    ? ExpressionBuilder<DB, Sources>
    : never;

const CONDITIONS: Readonly<
  Record<SearchGroup, (row: LatestExpressions, parts: Parts) => Expression<SqlBool>>
> = {
  term: (row, { parameters }) => isLike(row.ref("v.search_text"), parameters.term),
  terms: (row, parts) => matchesAll(row.ref("v.search_text"), parts.parameters.terms, parts),
  keyword: (row, { parameters: given }) =>
    isLike(row.fn<string>("lower", ["v.keywords"]), given.keyword),
  keywords: (row, parts) => hasKeywords(row.fn<string>("lower", ["v.keywords"]), parts),
  // `like` may not tell letter case apart; a scope is in lower case anyway.
  scope: (row, { parameters }) => isLike(row.ref("p.name"), parameters.scope),
  maintainer: (row, { parameters: given }) => isLike(row.ref("p.maintainers"), given.maintainer),
  maintainers: (row, parts) =>
    matchesAll(row.ref("p.maintainers"), parts.parameters.maintainers, parts),
  states: (row, { parameters, own }) => {
    const isUnstable = row.or([
      row("v.version", "like", sql.lit("%-%")),
      row("v.version", "like", sql.lit("0.%")),
    ]);
    return row.and([
      row.or([row(parameters.deprecated, "=", own.yes), row("v.deprecated", "is", null)]),
      row.or([row(parameters.undeprecated, "=", own.yes), row("v.deprecated", "is not", null)]),
      row.or([row(parameters.unstable, "=", own.yes), row.not(isUnstable)]),
      row.or([row(parameters.stable, "=", own.yes), isUnstable]),
    ]);
  },
  names: (row, { parameters, own }) => nameMatches(row.ref("p.name"), parameters, own),
  hidden: (row, { parameters, own }) =>
    row.not(isHidden("npm", row.ref("p.name"), hiddenParameters(parameters, own))),
  ownOnly: (row, { own }) => row.not(row.exists(mirrored(own))),
  notFrom: (row, { parameters, own }) =>
    row.not(row.exists(mirrored(own).where("o.source", "in", own.textsIn(parameters.notFrom)))),
};

/** The row of a name that was found at a source. */
const mirrored = (own: Dialect) =>
  own.db
    .selectFrom("name_origins as o")
    .where("o.protocol", "=", sql.lit("npm"))
    .where("o.name", "=", sql.ref<string>("p.name"))
    .where("o.origin", "=", sql.lit("mirrored"))
    .select(sql.lit(1).as("one"));

/** Whether the text matches each pattern of the list. */
function matchesAll(
  text: Expression<string | null>,
  list: Parts["parameters"]["terms"],
  { db, own }: Parts,
): RawBuilder<SqlBool> {
  const others = db
    .selectFrom(own.records(list, { pattern: "text" }).as("l"))
    .where((pattern) => pattern.not(isLike(text, pattern.ref("l.pattern"))))
    .select("l.pattern");
  return sql`not exists ${others}`;
}

/** Whether the JSON list has a keyword of each place. A complete keyword is between quotes. */
function hasKeywords(
  keywords: Expression<string>,
  { db, parameters, own }: Parts,
): RawBuilder<SqlBool> {
  const places = db
    .selectFrom(own.records(parameters.keywords, { place: "whole", pattern: "text" }).as("k"))
    .where((keyword) => isLike(keywords, keyword.ref("k.pattern")))
    .select(({ fn }) => fn.count<number>("k.place").distinct().as("places"));
  return sql`${places} = ${parameters.places}`;
}
