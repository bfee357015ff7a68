import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { RepositoryLine, RepositoryListing, TagLine } from "@sealhouse/oci-distribution";
import { containing } from "../raw/like.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { LINE_COLUMNS, lineOf } from "./manifest-line.ts";

const NAMES: Statement = {
  name: "oci-names",
  sql: `select name from oci_repositories where name > ? and name like ? escape '!'
    order by name limit ?`,
};
const REPOSITORY: Statement = {
  name: "oci-repository",
  sql: "select id from oci_repositories where name = ?",
};

export function createRepositoryListing(port: QueryPort): RepositoryListing {
  return {
    async names({ text, after, limit }) {
      const rows = await port.all(NAMES, [after, containing(text.toLowerCase()), limit]);
      return rows.map((row) => parseRepositoryName(textOf(row, "name")));
    },
    async repositories(names) {
      if (names.length === 0) return [];
      const sql = repositoriesSql(names.length);
      return (await port.all({ sql }, [...names, ...names])).map(repositoryOf);
    },
    async tags(repository, asked) {
      const known = await port.one(REPOSITORY, [repository]);
      if (!known) return undefined;
      const { text, withAttached, from, size } = asked;
      // `lower` makes all databases alike: some tell letter case apart in `like`, some do not.
      const where = `repository_id = ?
        ${withAttached ? "" : "and subject is null"}
        ${text === "" ? "" : "and lower(tag) like ? escape '!'"}`;
      const given = [
        numberOf(known, "id"),
        ...(text === "" ? [] : [containing(text.toLowerCase())]),
      ];
      const count = `select count(*) as total from oci_tags where ${where}`;
      const counted = await port.one({ sql: count }, given);
      const rows = await port.all({ sql: tagsSql(where) }, [...given, size, from]);
      return { total: counted ? numberOf(counted, "total") : 0, lines: rows.map(tagOf) };
    },
  };
}

function repositoriesSql(count: number): string {
  return `select r.name, r.created_at, r.pulls, coalesce(t.tags, 0) as tags, t.pushed_at
    from oci_repositories r
    left join (
      select repository_id, count(*) as tags, max(updated_at) as pushed_at from oci_tags
      where subject is null and repository_id in (
        select id from oci_repositories where name in (${placesFor(count)}))
      group by repository_id) t on t.repository_id = r.id
    where r.name in (${placesFor(count)})`;
}

function placesFor(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** Selects the page from tags alone, without reading other manifests. */
function tagsSql(where: string): string {
  return `select t.tag, t.subject, t.updated_at, t.pulled_at, ${LINE_COLUMNS}
    from (select tag, subject, updated_at, pulled_at, manifest_id from oci_tags where ${where}
      order by updated_at desc, tag limit ? offset ?) t
    join oci_manifests m on m.id = t.manifest_id
    order by t.updated_at desc, t.tag`;
}

function repositoryOf(row: Row): RepositoryLine {
  const pushedAt = optionalTimeOf(row, "pushed_at");
  return {
    name: parseRepositoryName(textOf(row, "name")),
    createdAt: timeOf(row, "created_at"),
    pulls: numberOf(row, "pulls"),
    tagCount: numberOf(row, "tags"),
    ...(pushedAt && { pushedAt }),
  };
}

function tagOf(row: Row): TagLine {
  const pulledAt = optionalTimeOf(row, "pulled_at");
  return {
    ...lineOf(row),
    tag: textOf(row, "tag"),
    pushedAt: timeOf(row, "updated_at"),
    ...(pulledAt && { pulledAt }),
    isAttached: optionalTextOf(row, "subject") !== undefined,
  };
}
