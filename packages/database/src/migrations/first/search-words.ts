import type { Statements } from "../migration.ts";

// The index of the words in `nuget_search_entries`, which the entities do not describe.

const COLUMNS = "filters id_words id_parts title tags authors summary description".split(" ");
const WORDS = COLUMNS.join(", ");
const NEW = COLUMNS.map((column) => `new.${column}`).join(", ");
const OLD = COLUMNS.map((column) => `old.${column}`).join(", ");
const FORGET = `insert into nuget_search_words (nuget_search_words, rowid, ${WORDS})
  values ('delete', old.version_id, ${OLD})`;
const LEARN = `insert into nuget_search_words (rowid, ${WORDS}) values (new.version_id, ${NEW})`;

const SQLITE = [
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

const POSTGRESQL = [
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

/** Two letters before each word say its field, and make it longer than the least length that the
 * index takes (nuget/search-mysql.ts). */
const MYSQL_WORDS = Object.entries({
  qi: "id_words",
  qp: "id_parts",
  qt: "title",
  qg: "tags",
  qa: "authors",
  qs: "summary",
  qd: "description",
}).map(([letters, column]) => `replace("${column}", ' ', ' ${letters}')`);

const MYSQL = [
  `alter table "nuget_search_entries"
    add "words" longtext generated always as (concat(${MYSQL_WORDS.join(", ")})) stored`,
  'alter table "nuget_search_entries" add fulltext index "nuget_search_entries_words" ("words")',
];

export const SEARCH_WORDS: Statements = {
  sqlite: SQLITE,
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mssql: [],
};
