import { describe, expect, test } from "vitest";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "../schema/contexts.ts";
import { DRIVERS } from "../schema/offline-orm.ts";
import { schemaDifference } from "../schema/schema-difference.ts";
import { commonSpelling, onEveryDatabase } from "./every-database.ts";
import { inShort, joined, statementsBy } from "./migration.ts";
import { MIGRATIONS } from "./list.ts";

/** One statement in the common spelling, and in that of each database. */
const SPELLINGS = {
  "each type of a column": {
    common: `create table "t" ("id" serial primary key, "a" big not null, "b" ref null,
      "c" int not null, "d" bool not null, "e" time null, "f" bytes not null, "g" text null,
      "h" text(16) not null)`,
    sqlite: [
      'create table "t" ("id" integer not null primary key autoincrement, "a" bigint not null,' +
        ' "b" bigint null, "c" integer not null, "d" integer not null, "e" datetime null,' +
        ' "f" blob not null, "g" text null, "h" text not null)',
    ],
    postgresql: [
      'create table "t" ("id" bigserial primary key, "a" bigint not null, "b" bigint null,' +
        ' "c" int not null, "d" boolean not null, "e" timestamptz(3) null,' +
        ' "f" bytea not null, "g" text null, "h" varchar(16) not null)',
    ],
    mysql: [
      'create table "t" ("id" bigint unsigned not null auto_increment primary key,' +
        ' "a" bigint not null, "b" bigint unsigned null, "c" int not null,' +
        ' "d" tinyint(1) not null, "e" datetime(3) null, "f" longblob not null,' +
        ' "g" longtext null, "h" varchar(16) not null)',
    ],
    mssql: [
      'create table "t" ("id" bigint identity(1,1) not null constraint "t_pkey" primary key,' +
        ' "a" bigint not null, "b" bigint null, "c" int not null, "d" bit not null,' +
        ' "e" datetime2(3) null, "f" varbinary(max) not null, "g" nvarchar(max) null,' +
        ' "h" nvarchar(16) not null)',
    ],
  },
  "a key of one column": {
    common: 'create table "t" ("name" text(64) not null, primary key ("name"))',
    sqlite: ['create table "t" ("name" text not null primary key)'],
    postgresql: ['create table "t" ("name" varchar(64) not null, primary key ("name"))'],
    mysql: ['create table "t" ("name" varchar(64) not null, primary key ("name"))'],
    mssql: [
      'create table "t" ("name" nvarchar(64) not null, constraint "t_pkey" primary key ("name"))',
    ],
  },
  "a key of one number": {
    common: 'create table "t" ("n" int not null, primary key ("n"))',
    sqlite: ['create table "t" ("n" integer not null primary key)'],
    postgresql: ['create table "t" ("n" int not null, primary key ("n"))'],
    mysql: ['create table "t" ("n" int unsigned not null, primary key ("n"))'],
    mssql: ['create table "t" ("n" int not null, constraint "t_pkey" primary key ("n"))'],
  },
  "a key that is too long for a clustered index": {
    common:
      'create table "t" ("a" text(400) not null, "b" text(51) not null, primary key ("a", "b"))',
    sqlite: ['create table "t" ("a" text not null, "b" text not null, primary key ("a", "b"))'],
    postgresql: [
      'create table "t" ("a" varchar(400) not null, "b" varchar(51) not null,' +
        ' primary key ("a", "b"))',
    ],
    mysql: [
      'create table "t" ("a" varchar(400) not null, "b" varchar(51) not null,' +
        ' primary key ("a", "b"))',
    ],
    mssql: [
      'create table "t" ("a" nvarchar(400) not null, "b" nvarchar(51) not null,' +
        ' constraint "t_pkey" primary key nonclustered ("a", "b"))',
    ],
  },
  "an index": {
    common: 'create index "i" on "t" ("a" DESC, "b")',
    sqlite: ['create index "i" on "t" ("a" DESC, "b")'],
    postgresql: ['create index "i" on "t" ("a" DESC, "b")'],
    mysql: ['alter table "t" add index "i" ("a" DESC, "b")'],
    mssql: ['create index "i" on "t" ("a" DESC, "b")'],
  },
  "a unique index": {
    common: 'create unique index "i" on "t" ("a")',
    sqlite: ['create unique index "i" on "t" ("a")'],
    postgresql: ['alter table "t" add constraint "i" unique ("a")'],
    mysql: ['alter table "t" add unique "i" ("a")'],
    mssql: ['create unique index "i" on "t" ("a")'],
  },
  "the index of a foreign key": {
    common: 'create reference index "i" on "t" ("a")',
    sqlite: ['create index "i" on "t" ("a")'],
    postgresql: [],
    mysql: ['alter table "t" add index "i" ("a")'],
    mssql: [],
  },
  "a new column": {
    common: 'alter table "t" add column "a" text(16) null',
    sqlite: ['alter table "t" add column "a" text null'],
    postgresql: ['alter table "t" add "a" varchar(16) null'],
    mysql: ['alter table "t" add "a" varchar(16) null'],
    mssql: ['alter table "t" add "a" nvarchar(16) null'],
  },
  "a statement about rows": {
    common: `insert into "t" values (1, 'big not null')`,
    sqlite: [`insert into "t" values (1, 'big not null')`],
    postgresql: [`insert into "t" values (1, 'big not null')`],
    mysql: [`insert into "t" values (1, 'big not null')`],
    mssql: [`insert into "t" values (1, 'big not null')`],
  },
} as const;

describe.each(Object.entries(SPELLINGS))("%s", (_name, { common, ...spelled }) => {
  test.each(DRIVERS)("%s has its own spelling", (driver) => {
    expect(onEveryDatabase([common])[driver]).toEqual(spelled[driver]);
  });
});

describe("foreign keys", () => {
  const key = (name: string, rules: string) =>
    `alter table "t" add constraint "${name}" foreign key ("a") references "u" ("id")${rules}`;
  const table = 'create table "t" ("a" ref not null, primary key ("a"))';

  test("SQLite creates a table with them, and their column has the type of a row's id", () => {
    const { sqlite } = onEveryDatabase([
      table,
      'create table "u" ("id" serial primary key)',
      key("k", " on delete cascade"),
    ]);
    expect(sqlite).toEqual([
      'create table "t" ("a" integer not null primary key, constraint "k" foreign key ("a")' +
        ' references "u" ("id") on delete cascade)',
      'create table "u" ("id" integer not null primary key autoincrement)',
    ]);
  });

  test("PostgreSQL and MySQL add them unchanged", () => {
    const text = key("k", " on update cascade on delete restrict");
    const { postgresql, mysql } = onEveryDatabase([table, text]);
    expect(postgresql.slice(1)).toEqual([text]);
    expect(mysql.slice(1)).toEqual([text]);
  });

  test.each([
    [" on delete cascade", " on update no action on delete cascade"],
    [" on delete restrict", " on update no action on delete no action"],
    [" on update cascade on delete cascade", " on update no action on delete cascade"],
    [" on update cascade on delete restrict", " on update no action on delete no action"],
  ])("SQL Server has%s as%s", (common, spelled) => {
    expect(onEveryDatabase([key("k", common)]).mssql).toEqual([key("k", spelled)]);
  });
});

describe("the common spelling", () => {
  test.each(CONTEXTS)("the tables of %s have one", (context) => {
    const list = statementsBy((driver) =>
      schemaDifference(driver, [], ENTITIES[context]).map((sql) =>
        inShort(driver, sql).replace(
          '"npm_tombstones_pkey" primary key (',
          '"npm_tombstones_pkey" primary key nonclustered (',
        ),
      ),
    );
    const common = commonSpelling(list) ?? [];
    expect(common.length).toBeGreaterThan(40);
    const spelled = onEveryDatabase(common);
    for (const driver of DRIVERS) {
      expect(spelled[driver].toSorted()).toEqual(list[driver].toSorted());
    }
  });

  test.each(Object.entries(SPELLINGS))("is found again: %s", (_name, { common, ...spelled }) => {
    expect(commonSpelling(spelled)).toEqual([common.replaceAll(/\s+/g, " ")]);
  });

  test.each(DRIVERS)("does not exist when %s differs", (driver) => {
    const { common, ...same } = SPELLINGS["an index"];
    const different = { ...same, [driver]: [...same[driver], 'drop table "u"'] };
    expect(commonSpelling(same)).toEqual([common]);
    expect(commonSpelling(different)).toBeUndefined();
  });
});

test("joins lists for each database, in their order", () => {
  const first = onEveryDatabase(['create unique index "i" on "t" ("a")']);
  const second = { sqlite: ["1"], postgresql: ["2"], mysql: [], mssql: ["4"] };
  expect(joined(first, second)).toEqual({
    sqlite: ['create unique index "i" on "t" ("a")', "1"],
    postgresql: ['alter table "t" add constraint "i" unique ("a")', "2"],
    mysql: ['alter table "t" add unique "i" ("a")'],
    mssql: ['create unique index "i" on "t" ("a")', "4"],
  });
});

test.each(DRIVERS)("%s: no migration has a type or an index of the common spelling", (driver) => {
  const statements = Object.values(MIGRATIONS).flatMap((all) =>
    all.flatMap((migration) => migration.statements[driver]),
  );
  expect(statements.length).toBeGreaterThan(200);
  for (const sql of statements) {
    expect(sql).not.toMatch(/" (?:big|ref|bool|time|bytes|serial)\b|text\(\d|reference index/);
  }
});
