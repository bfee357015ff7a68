import { Migration } from "@mikro-orm/migrations";
import { reindexSearch } from "../../../nuget/reindex-search.ts";
import { migrationQueries } from "../../../schema/migration-queries.ts";

/**
 * Creates the entries that searches read, for existing packages as well. No release had rows in the
 * table, so the migration creates it again.
 */
export class Migration20261122010000_nuget_search extends Migration {
  override name = "Migration20261122010000_nuget_search";

  override async up(): Promise<void> {
    for (const sql of UP) await this.execute(sql);
    const execute = (sql: string, parameters: unknown[]) => this.execute(sql, parameters);
    await reindexSearch({ queries: migrationQueries("Sqlite", execute) });
  }

  override down(): void {
    for (const sql of DOWN) this.addSql(sql);
  }
}

const COLUMNS = "filters id_words id_parts title tags authors summary description".split(" ");
const WORDS = COLUMNS.join(", ");
const NEW = COLUMNS.map((column) => `new.${column}`).join(", ");
const OLD = COLUMNS.map((column) => `old.${column}`).join(", ");
const FORGET = `insert into nuget_search_words (nuget_search_words, rowid, ${WORDS})
  values ('delete', old.version_id, ${OLD})`;
const LEARN = `insert into nuget_search_words (rowid, ${WORDS}) values (new.version_id, ${NEW})`;

const UP = [
  "drop table if exists `nuget_frameworks`",
  "drop table if exists `nuget_search_entries`",
  `create table \`nuget_search_entries\` (\`version_id\` bigint not null primary key,
    \`package_id\` bigint not null, \`filters\` text not null, \`id_words\` text not null,
    \`id_parts\` text not null, \`title\` text not null, \`tags\` text not null,
    \`authors\` text not null, \`summary\` text not null, \`description\` text not null)`,
  `create index \`nuget_search_entries_package_id_index\` on
    \`nuget_search_entries\` (\`package_id\`)`,
  `create index \`nuget_search_entries_version_id_package_id_index\` on
    \`nuget_search_entries\` (\`version_id\`, \`package_id\`)`,
  "create index `nuget_packages_popular` on `nuget_packages` (`downloads` DESC, `lower_id`)",
  `create index \`nuget_versions_shown\` on \`nuget_versions\`
    (\`package_id\`, \`listed\`, \`is_prerelease\`, \`is_sem_ver2\`, \`full_version\`,
    \`downloads\`)`,

  // Words are split before: this tokenizer leaves every letter beyond ASCII unchanged.
  `create virtual table nuget_search_words using fts5 (${WORDS},
    content = 'nuget_search_entries', content_rowid = 'version_id',
    tokenize = 'ascii', columnsize = 0, prefix = '1 2 3')`,
  `create trigger nuget_search_added after insert on nuget_search_entries begin
    ${LEARN}; end`,
  `create trigger nuget_search_removed after delete on nuget_search_entries begin
    ${FORGET}; end`,
  `create trigger nuget_search_changed after update on nuget_search_entries begin
    ${FORGET}; ${LEARN}; end`,
];

const DOWN = [
  "drop index if exists `nuget_versions_shown`",
  "drop trigger if exists nuget_search_added",
  "drop trigger if exists nuget_search_removed",
  "drop trigger if exists nuget_search_changed",
  "drop table if exists nuget_search_words",
  "drop index if exists `nuget_packages_popular`",
];
