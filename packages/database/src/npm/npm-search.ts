import type { NpmSearch, NpmSearchHit } from "@sealhouse/npm-protocol";
import { containing, searchTerms } from "../raw/like.ts";
import type { QueryPort, Row } from "../raw/query-port.ts";
import { numberOf, textListOf, textOf, timeOf } from "../raw/row.ts";

/** Search by LIKE over the version that each package's `latest` points to. */
export function createNpmSearch(port: QueryPort): NpmSearch {
  return {
    async search({ text, from, size }) {
      const terms = searchTerms(text);
      const where = ["t.tag = 'latest'", ...terms.map(() => "v.search_text like ? escape '!'")];
      const source = `from npm_tags t
        join npm_packages p on p.id = t.package_id
        join npm_versions v on v.id = t.version_id
        where ${where.join(" and ")}`;
      const patterns = terms.map(containing);
      const counted = await port.one({ sql: `select count(*) as total ${source}` }, patterns);
      const sql = `select p.name, v.version, v.description, v.keywords, v.published_at, v.manifest
        ${source} order by p.name limit ? offset ?`;
      const rows = await port.all({ sql }, [...patterns, Math.max(0, size), from]);
      return { total: counted ? numberOf(counted, "total") : 0, hits: rows.map(hitOf) };
    },
  };
}

function hitOf(row: Row): NpmSearchHit {
  return {
    name: textOf(row, "name"),
    version: textOf(row, "version"),
    description: textOf(row, "description"),
    keywords: textListOf(row, "keywords"),
    publishedAt: timeOf(row, "published_at"),
    manifest: textOf(row, "manifest"),
  };
}
