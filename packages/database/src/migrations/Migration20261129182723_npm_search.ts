import { onEveryDatabase } from "./every-database.ts";
import { joined } from "./migration.ts";
import type { Migration } from "./migration.ts";
import { NPM_SEARCH_WORDS } from "./npm-search-words.ts";

const TABLE = onEveryDatabase([
  `create table "npm_search_entries" ("package_id" ref not null, "name" text(214) not null,
    "filters" text not null, "name_words" text not null, "text_words" text not null,
    primary key ("package_id"))`,
  `create reference index "npm_search_entries_package_id_index" on "npm_search_entries"
    ("package_id")`,
  'create index "npm_search_entries_name_index" on "npm_search_entries" ("name")',
  `alter table "npm_search_entries" add constraint "npm_search_entries_package_id_foreign"
    foreign key ("package_id") references "npm_packages" ("id") on update cascade on
    delete cascade`,
]);

export const Migration20261129182723_npm_search: Migration = {
  name: "Migration20261129182723_npm_search",
  statements: joined(TABLE, NPM_SEARCH_WORDS),
};
