import { Migration } from "@mikro-orm/migrations";
import { reindexSearch } from "../../../nuget/reindex-search.ts";
import type { FillingMigration } from "../../../schema/migrate-by-step.ts";
import { migrationQueries } from "../../../schema/migration-queries.ts";

/**
 * Creates the entries that searches read, for existing packages as well. No release had rows in the
 * table, so the migration creates it again.
 */
export class Migration20261122010000_nuget_search extends Migration implements FillingMigration {
  override name = "Migration20261122010000_nuget_search";

  override up(): void {
    for (const sql of UP) this.addSql(sql);
  }

  async fill(): Promise<void> {
    const execute = (sql: string, parameters: unknown[]) => this.execute(sql, parameters);
    await reindexSearch({ queries: migrationQueries("MySql", execute) });
  }

  override down(): void {
    for (const sql of DOWN) this.addSql(sql);
  }
}

/** Two letters before each word say its field, and make it longer than the least length that the
 * index takes (nuget/search-mysql.ts). */
const WORDS = Object.entries({
  qi: "id_words",
  qp: "id_parts",
  qt: "title",
  qg: "tags",
  qa: "authors",
  qs: "summary",
  qd: "description",
}).map(([letters, column]) => `replace(\`${column}\`, ' ', ' ${letters}')`);

const UP = [
  "drop table if exists `nuget_frameworks`",
  "drop table if exists `nuget_search_entries`",
  `create table \`nuget_search_entries\` (\`version_id\` bigint unsigned not null,
    \`package_id\` bigint not null, \`filters\` longtext not null, \`id_words\` longtext not null,
    \`id_parts\` longtext not null, \`title\` longtext not null, \`tags\` longtext not null,
    \`authors\` longtext not null, \`summary\` longtext not null,
    \`description\` longtext not null,
    \`words\` longtext generated always as (concat(${WORDS.join(", ")})) stored,
    primary key (\`version_id\`), fulltext index \`nuget_search_entries_words\` (\`words\`))
    default character set utf8mb4 collate utf8mb4_bin engine = InnoDB`,
  `alter table \`nuget_search_entries\` add index \`nuget_search_entries_package_id_index\`
    (\`package_id\`)`,
  `alter table \`nuget_search_entries\` add index
    \`nuget_search_entries_version_id_package_id_index\` (\`version_id\`, \`package_id\`)`,
  `alter table \`nuget_packages\` add index \`nuget_packages_popular\`
    (\`downloads\` DESC, \`lower_id\`)`,
  `alter table \`nuget_versions\` add index \`nuget_versions_shown\`
    (\`package_id\`, \`listed\`, \`is_prerelease\`, \`is_sem_ver2\`, \`full_version\`,
    \`downloads\`)`,
];

const DOWN = [
  "alter table `nuget_versions` drop index `nuget_versions_shown`",
  "alter table `nuget_packages` drop index `nuget_packages_popular`",
];
