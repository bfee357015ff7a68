import type { Migration } from "./migration.ts";
import { NPM_SEARCH_WORDS } from "./npm-search-words.ts";

export const Migration20261129182723_npm_search: Migration = {
  name: "Migration20261129182723_npm_search",
  statements: {
    sqlite: [
      `create table "npm_search_entries" ("package_id" integer not null primary key, "name" text
        not null, "filters" text not null, "name_words" text not null, "text_words" text
        not null, constraint "npm_search_entries_package_id_foreign" foreign key
        ("package_id") references "npm_packages" ("id") on update cascade on delete
        cascade)`,
      'create index "npm_search_entries_package_id_index" on "npm_search_entries" ("package_id")',
      'create index "npm_search_entries_name_index" on "npm_search_entries" ("name")',
      ...NPM_SEARCH_WORDS.sqlite,
    ],
    postgresql: [
      `create table "npm_search_entries" ("package_id" bigint not null, "name" varchar(214) not
        null, "filters" text not null, "name_words" text not null, "text_words" text not
        null, primary key ("package_id"))`,
      'create index "npm_search_entries_name_index" on "npm_search_entries" ("name")',
      `alter table "npm_search_entries" add constraint "npm_search_entries_package_id_foreign"
        foreign key ("package_id") references "npm_packages" ("id") on update cascade on
        delete cascade`,
      ...NPM_SEARCH_WORDS.postgresql,
    ],
    mysql: [
      `create table "npm_search_entries" ("package_id" bigint unsigned not null, "name"
        varchar(214) not null, "filters" longtext not null, "name_words" longtext not
        null, "text_words" longtext not null, primary key ("package_id"))`,
      `alter table "npm_search_entries" add index "npm_search_entries_package_id_index"
        ("package_id")`,
      'alter table "npm_search_entries" add index "npm_search_entries_name_index" ("name")',
      `alter table "npm_search_entries" add constraint "npm_search_entries_package_id_foreign"
        foreign key ("package_id") references "npm_packages" ("id") on update cascade on
        delete cascade`,
      ...NPM_SEARCH_WORDS.mysql,
    ],
    mssql: [
      `create table "npm_search_entries" ("package_id" bigint not null, "name" nvarchar(214) not
        null, "filters" nvarchar(max) not null, "name_words" nvarchar(max) not null,
        "text_words" nvarchar(max) not null, constraint "npm_search_entries_pkey" primary
        key ("package_id"))`,
      'create index "npm_search_entries_name_index" on "npm_search_entries" ("name")',
      `alter table "npm_search_entries" add constraint "npm_search_entries_package_id_foreign"
        foreign key ("package_id") references "npm_packages" ("id") on update no action on
        delete cascade`,
    ],
  },
};
