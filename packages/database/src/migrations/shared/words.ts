import type { Driver } from "../../schema/offline-orm.ts";

/** Types and statements that the databases spell differently. Names are in double quotes. */
export type Words = {
  /** The type of a name, key or code. */
  readonly text: (length: number) => string;
  readonly longText: string;
  readonly bytes: string;
  readonly time: string;
  readonly flag: string;
  /** A whole number up to 2^53. */
  readonly whole: string;
  /** A primary key that the database numbers. */
  readonly rowId: string;
  /** A primary key of a whole number that the program gives. */
  readonly smallKey: string;
  /** Text after the columns of a new table. */
  readonly tableEnd: string;
  readonly addUnique: (table: string, name: string, columns: string) => string;
  readonly dropIndex: (table: string, name: string) => string;
};

const addUniqueIndex: Words["addUnique"] = (table, name, columns) =>
  `create unique index "${name}" on "${table}" (${columns})`;
const dropOwnIndex: Words["dropIndex"] = (_table, name) => `drop index "${name}"`;
const dropTableIndex: Words["dropIndex"] = (table, name) => `drop index "${name}" on "${table}"`;

export const WORDS: Readonly<Record<Driver, Words>> = {
  sqlite: {
    text: () => "text",
    longText: "text",
    bytes: "blob",
    time: "datetime",
    flag: "integer",
    whole: "integer",
    rowId: "integer not null primary key autoincrement",
    smallKey: "integer not null primary key",
    tableEnd: "",
    addUnique: addUniqueIndex,
    dropIndex: dropOwnIndex,
  },
  postgresql: {
    text: (length) => `varchar(${length}) collate "C"`,
    longText: "text",
    bytes: "bytea",
    time: "timestamptz(3)",
    flag: "boolean",
    whole: "bigint",
    rowId: "bigserial primary key",
    smallKey: "int not null primary key",
    tableEnd: "",
    addUnique: (table, name, columns) =>
      `alter table "${table}" add constraint "${name}" unique (${columns})`,
    dropIndex: dropOwnIndex,
  },
  mysql: {
    text: (length) => `varchar(${length}) collate utf8mb4_bin`,
    longText: "longtext",
    bytes: "longblob",
    time: "datetime(3)",
    flag: "tinyint(1)",
    whole: "bigint",
    rowId: "bigint unsigned not null auto_increment primary key",
    smallKey: "int unsigned not null primary key",
    tableEnd: " default character set utf8mb4 collate utf8mb4_bin engine = InnoDB",
    addUnique: addUniqueIndex,
    dropIndex: dropTableIndex,
  },
  mssql: {
    text: (length) => `nvarchar(${length})`,
    longText: "nvarchar(max)",
    bytes: "varbinary(max)",
    time: "datetime2(3)",
    flag: "bit",
    whole: "bigint",
    rowId: "bigint identity(1,1) not null primary key",
    smallKey: "int not null primary key",
    tableEnd: "",
    addUnique: addUniqueIndex,
    dropIndex: dropTableIndex,
  },
};
