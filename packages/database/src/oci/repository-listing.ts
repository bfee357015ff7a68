import { sql } from "#kysely";
import type { Kysely } from "#kysely";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { RepositoryLine, RepositoryListing, TagLine } from "@sealhouse/oci-distribution";
import { containing } from "../raw/like.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import { lineColumns, lineOf } from "./manifest-line.ts";
import { ociParam } from "./oci-param.ts";
import { findListedRepository, manifestsOf } from "./oci-rows.ts";

const NAMES = defineStatement(
  "oci-names",
  { after: ociParam.repositoryName, pattern: param.longText, limit: param.whole },
  (db, { after, pattern, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_repositories as r")
        .where("r.name", ">", after)
        .where(sql<boolean>`r.name like ${pattern} escape '!'`)
        .where((row) => row.exists(manifestsOf(row.ref("r.id"))))
        .select("r.name")
        .orderBy("r.name"),
      limit,
    ),
);
const REPOSITORIES = defineStatement(
  "oci-repository-lines",
  { names: param.texts },
  (db, { names }, own) => {
    const tags = db
      .selectFrom("oci_tags")
      .where("subject", "is", null)
      .where("repository_id", "in", (tag) =>
        tag.selectFrom("oci_repositories").where("name", "in", own.textsIn(names)).select("id"),
      )
      .select(({ fn }) => [
        "repository_id",
        fn.countAll<number>().as("tags"),
        fn.max("updated_at").as("pushed_at"),
      ])
      .groupBy("repository_id");
    return db
      .selectFrom("oci_repositories as r")
      .leftJoin(tags.as("t"), "t.repository_id", "r.id")
      .where("r.name", "in", own.textsIn(names))
      .select(({ fn }) => [
        "r.name",
        "r.created_at",
        "r.pulls",
        fn.coalesce("t.tags", sql.lit(0)).as("tags"),
        "t.pushed_at",
      ]);
  },
);

const MATCHING = { repository: param.whole, pattern: param.longText };

/** Counts and lists tags. */
const TAGS = {
  all: tagStatements("all", { attached: true, matching: false }),
  plain: tagStatements("plain", { attached: false, matching: false }),
  matching: tagStatements("matching", { attached: true, matching: true }),
  "plain-matching": tagStatements("plain-matching", { attached: false, matching: true }),
} as const;

type Shown = { readonly attached: boolean; readonly matching: boolean };

function tagStatements(name: string, { attached, matching }: Shown) {
  const shown = (db: Kysely<Tables>, { repository, pattern }: Parameters<typeof MATCHING>) => {
    let tags = db.selectFrom("oci_tags").where("repository_id", "=", repository);
    if (!attached) tags = tags.where("subject", "is", null);
    if (!matching) return tags;
    // `lower` makes all databases alike: some tell letter case apart in `like`, some do not.
    return tags.where(sql<boolean>`lower(tag) like ${pattern} escape '!'`);
  };
  return {
    count: defineStatement(`oci-tag-count-${name}`, MATCHING, (db, parameters) =>
      shown(db, parameters).select(({ fn }) => fn.countAll<number>().as("total")),
    ),
    /** Selects the page from tags alone, without reading other manifests. */
    page: defineStatement(
      `oci-tag-page-${name}`,
      { ...MATCHING, skip: param.whole, take: param.whole },
      (db, parameters, own) => {
        const tags = shown(db, parameters)
          .select(["tag", "subject", "updated_at", "pulled_at", "manifest_id"])
          .orderBy("updated_at", "desc")
          .orderBy("tag");
        return db
          .selectFrom(own.page(tags, parameters).as("t"))
          .innerJoin("oci_manifests as m", "m.id", "t.manifest_id")
          .select(["t.tag", "t.subject", "t.updated_at", "t.pulled_at", ...lineColumns(own)])
          .orderBy("t.updated_at", "desc")
          .orderBy("t.tag");
      },
    ),
  };
}

export function createRepositoryListing(queries: Queries): RepositoryListing {
  return {
    async names({ text, after, limit }) {
      const pattern = containing(text.toLowerCase());
      const rows = await queries.all(NAMES, { after, pattern, limit });
      return rows.map(({ name }) => parseRepositoryName(name));
    },
    async repositories(names) {
      if (names.length === 0) return [];
      return (await queries.all(REPOSITORIES, { names })).map(repositoryOf);
    },
    async tags(name, { text, withAttached, from, size }) {
      const repository = await findListedRepository({ queries }, name);
      if (repository === undefined) return undefined;
      const [all, plain] =
        text === "" ? [TAGS.all, TAGS.plain] : [TAGS.matching, TAGS["plain-matching"]];
      const { count, page } = withAttached ? all : plain;
      const filter = { repository, pattern: containing(text.toLowerCase()) };
      const counted = await queries.one(count, filter);
      const rows = await queries.all(page, { ...filter, skip: from, take: size });
      return { total: counted?.total ?? 0, lines: rows.map(tagOf) };
    },
  };
}

function repositoryOf(row: RowOf<typeof REPOSITORIES>): RepositoryLine {
  return {
    name: parseRepositoryName(row.name),
    createdAt: row.created_at,
    pulls: row.pulls,
    tagCount: row.tags,
    ...(row.pushed_at && { pushedAt: row.pushed_at }),
  };
}

function tagOf(row: RowOf<typeof TAGS.all.page>): TagLine {
  return {
    ...lineOf(row),
    tag: row.tag,
    pushedAt: row.updated_at,
    ...(row.pulled_at && { pulledAt: row.pulled_at }),
    isAttached: row.subject !== null,
  };
}
