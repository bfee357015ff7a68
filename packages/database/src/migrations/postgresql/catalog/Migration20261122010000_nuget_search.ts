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
    await reindexSearch({ queries: migrationQueries("PostgreSQL", execute) });
  }

  override down(): void {
    for (const sql of DOWN) this.addSql(sql);
  }
}

const UP = [
  'drop table if exists "nuget_frameworks" cascade',
  'drop table if exists "nuget_search_entries" cascade',
  `create table "nuget_search_entries" ("version_id" bigint not null, "package_id" bigint not null,
    "filters" text not null, "id_words" text not null, "id_parts" text not null,
    "title" text not null, "tags" text not null, "authors" text not null, "summary" text not null,
    "description" text not null, primary key ("version_id"))`,
  'create index "nuget_search_entries_package_id_index" on "nuget_search_entries" ("package_id")',
  `create index "nuget_search_entries_version_id_package_id_index" on "nuget_search_entries"
    ("version_id", "package_id")`,
  'create index "nuget_packages_popular" on "nuget_packages" ("downloads" DESC, "lower_id")',
  `create index "nuget_versions_shown" on "nuget_versions"
    ("package_id", "listed", "is_prerelease", "is_sem_ver2", "full_version", "downloads")`,

  // The index of words is a separate table: its rows are small for rows that are only counted.
  `create table nuget_search_words (version_id bigint not null primary key
    references nuget_search_entries (version_id) on delete cascade,
    ways1 boolean not null, waya1 boolean not null, ways2 boolean not null,
    waya2 boolean not null, words tsvector not null)`,
  "alter table nuget_search_words alter column words set storage external",
  "alter table nuget_search_words set (toast_tuple_target = 128)",
  // Without the list of pending entries, which every search would have to read through.
  `create index nuget_search_words_index on nuget_search_words using gin (words)
    with (fastupdate = off)`,
  // Words hold letters and digits alone, so they need no escape. Positions count from 1.
  `create function nuget_search_lexemes(letter text, words text) returns text
    language sql immutable as $$
      select coalesce(string_agg(
        '''' || letter || word || ''':' || least(position, 16383), ' '), '')
      from unnest(string_to_array(nullif(btrim(words), ''), ' '))
        with ordinality as listed(word, position)
    $$`,
  // The same words without field and position, where the question is only whether they are there.
  // Length 0 gives them whole, other lengths what they begin with.
  `create function nuget_search_letters(letter text, length integer, words text) returns text
    language sql immutable as $$
      select coalesce(string_agg(distinct
        '''' || letter || case length when 0 then word else left(word, length) end || '''', ' '),
        '')
      from unnest(string_to_array(nullif(btrim(words), ''), ' ')) as listed(word)
    $$`,
  // Words that stand side by side: a phrase is looked for in the rows that have its pairs.
  `create function nuget_search_pairs(words text) returns text language sql immutable as $$
      select coalesce(string_agg(distinct '''q' || word || '_' || next || '''', ' '), '')
      from (
        select word, lead(word) over (order by position) as next
        from unnest(string_to_array(nullif(btrim(words), ''), ' '))
          with ordinality as listed(word, position)
      ) pairs where next is not null
    $$`,
  `create function nuget_search_follow() returns trigger language plpgsql as $$
    declare
      told text := new.id_words || new.title || new.tags || new.authors || new.summary ||
        new.description;
    begin
      insert into nuget_search_words (version_id, ways1, waya1, ways2, waya2, words)
      values (
        new.version_id, new.filters like '% ways1 %', new.filters like '% waya1 %',
        new.filters like '% ways2 %', new.filters like '% waya2 %', concat_ws(' ',
          nuget_search_letters('f', 0, new.filters),
          nuget_search_letters('x', 0, replace(told || new.id_parts, '  ', ' ')),
          nuget_search_letters('y', 1, replace(told, '  ', ' ')),
          nuget_search_letters('y', 2, replace(told, '  ', ' ')),
          nuget_search_pairs(replace(told, '  ', ' \u{e000} ')),
          nuget_search_lexemes('i', new.id_words),
          nuget_search_lexemes('t', new.title),
          nuget_search_lexemes('g', new.tags),
          nuget_search_lexemes('a', new.authors),
          nuget_search_lexemes('s', new.summary),
          nuget_search_lexemes('d', new.description)
        )::tsvector)
      on conflict (version_id) do update set words = excluded.words, ways1 = excluded.ways1,
        waya1 = excluded.waya1, ways2 = excluded.ways2, waya2 = excluded.waya2;
      return null;
    end
    $$`,
  `create trigger nuget_search_follow after insert or update on nuget_search_entries
    for each row execute function nuget_search_follow()`,
];

const DOWN = [
  'drop index if exists "nuget_versions_shown"',
  "drop trigger if exists nuget_search_follow on nuget_search_entries",
  "drop function if exists nuget_search_follow()",
  "drop function if exists nuget_search_lexemes(text, text)",
  "drop function if exists nuget_search_letters(text, integer, text)",
  "drop function if exists nuget_search_pairs(text)",
  "drop table if exists nuget_search_words",
  'drop index if exists "nuget_packages_popular"',
];
