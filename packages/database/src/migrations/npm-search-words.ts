import type { Statements } from "./migration.ts";

// The index of the words in `npm_search_entries`, which the entities do not describe.

const COLUMNS = "filters name_words text_words".split(" ");
const WORDS = COLUMNS.join(", ");
const NEW = COLUMNS.map((column) => `new.${column}`).join(", ");
const OLD = COLUMNS.map((column) => `old.${column}`).join(", ");
const FORGET = `insert into npm_search_words (npm_search_words, rowid, ${WORDS})
  values ('delete', old.package_id, ${OLD})`;
const LEARN = `insert into npm_search_words (rowid, ${WORDS}) values (new.package_id, ${NEW})`;

const SQLITE = [
  // A search of a beginning with up to five letters reads one list. It has no phrases, and so no
  // positions.
  `create virtual table npm_search_words using fts5 (${WORDS},
    content = 'npm_search_entries', content_rowid = 'package_id',
    tokenize = 'ascii', columnsize = 0, detail = column, prefix = '1 2 3 4 5')`,
  `create trigger npm_search_added after insert on npm_search_entries begin
    ${LEARN}; end`,
  `create trigger npm_search_removed after delete on npm_search_entries begin
    ${FORGET}; end`,
  `create trigger npm_search_changed after update on npm_search_entries begin
    ${FORGET}; ${LEARN}; end`,
];

/** One query for all kinds of words, because each call of an SQL function takes as long. */
const POSTGRESQL_KINDS = [
  "('f', 0, new.filters)",
  ...["name_words", "text_words"].flatMap((column) =>
    [0, 1, 2, 3].map((length) => {
      const letters = `${column[0]}${length === 0 ? "" : `${length}_`}`;
      return `('${letters}', ${length}, new.${column})`;
    }),
  ),
].join(", ");

const POSTGRESQL = [
  // A separate table, as for NuGet: its rows are small for rows that are only counted.
  `create table npm_search_words (package_id bigint not null primary key
    references npm_search_entries (package_id) on delete cascade, words tsvector not null)`,
  "alter table npm_search_words alter column words set storage external",
  "alter table npm_search_words set (toast_tuple_target = 128)",
  `create index npm_search_words_index on npm_search_words using gin (words)
    with (fastupdate = off)`,
  // Beginnings of up to three letters are separate words, marked by a sign that no word has.
  `create function npm_search_follow() returns trigger language plpgsql as $$
    begin
      insert into npm_search_words (package_id, words)
      values (new.package_id, array_to_tsvector(array(
        select letters || case length when 0 then word else left(word, length) end
        from (values ${POSTGRESQL_KINDS}) as kinds(letters, length, words),
          unnest(string_to_array(nullif(btrim(words), ''), ' ')) as listed(word))))
      on conflict (package_id) do update set words = excluded.words;
      return null;
    end
    $$`,
  `create trigger npm_search_follow after insert or update on npm_search_entries
    for each row execute function npm_search_follow()`,
];

/** Two letters before each word tell its field (npm/search/npm-words.ts). */
const MYSQL_WORDS = Object.entries({ qf: "filters", qn: "name_words", qt: "text_words" }).map(
  ([letters, column]) => `replace("${column}", ' ', ' ${letters}')`,
);

const MYSQL = [
  `alter table "npm_search_entries"
    add "words" longtext generated always as (concat(${MYSQL_WORDS.join(", ")})) stored`,
  'alter table "npm_search_entries" add fulltext index "npm_search_entries_words" ("words")',
];

export const NPM_SEARCH_WORDS: Statements = {
  sqlite: SQLITE,
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mssql: [],
};
