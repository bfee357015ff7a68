import type { EntityMetadata } from "@mikro-orm/core";
import { SqliteDriver } from "@mikro-orm/sqlite";
import { ENTITIES } from "../entities/contexts.ts";
import { CONTEXTS } from "../schema/contexts.ts";
import { entitiesOrm } from "../schema/entities-orm.ts";

/** A table with its columns, as all databases have it. */
export type CopiedTable = {
  readonly name: string;
  readonly columns: readonly string[];
  /** SQL Server's types of the columns. */
  readonly types: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Whether the database numbers the rows. */
  readonly isNumbered: boolean;
};

/** By the type of the value; bytes have another one in each release of Node. */
const SQL_SERVER_TYPES: Readonly<Record<string, string>> = {
  string: "nvarchar(max)",
  number: "bigint",
  boolean: "bit",
  Date: "datetime2(3)",
};

type Described = CopiedTable & { readonly needs: ReadonlySet<string> };

/** Contents that every host makes again, and the state of one database. */
const LEFT_OUT = new Set([
  "documents",
  "document_groups",
  "host_sign_in_failures",
  "leases",
  "schema_level",
]);

/** Returns the tables to copy; each comes after those that its foreign keys name. */
export function tablesToCopy(): readonly CopiedTable[] {
  const waiting = CONTEXTS.flatMap((context) => {
    const orm = entitiesOrm(SqliteDriver, ENTITIES[context]);
    return [...orm.getMetadata().getAll().values()].map(describe);
  }).filter(({ name }) => !LEFT_OUT.has(name));
  const ordered: Described[] = [];
  while (ordered.length < waiting.length) {
    const knownNames = new Set(ordered.map(({ name }) => name));
    const next = waiting.filter(
      ({ name, needs }) =>
        !knownNames.has(name) && [...needs].every((need) => knownNames.has(need)),
    );
    if (next.length === 0) throw new Error("the foreign keys of the tables form a circle");
    ordered.push(...next);
  }
  return ordered;
}

function describe({ tableName, props, primaryKeys, properties }: EntityMetadata): Described {
  const columns = props.flatMap(({ fieldNames }) => fieldNames);
  const types = props.flatMap(({ fieldNames, runtimeType }) =>
    fieldNames.map(() => SQL_SERVER_TYPES[runtimeType] ?? "varbinary(max)"),
  );
  const key = primaryKeys.flatMap((name) => properties[name]?.fieldNames ?? []);
  const targets = props.flatMap(({ targetMeta }) => (targetMeta ? [targetMeta.tableName] : []));
  return {
    name: tableName,
    columns,
    types,
    key,
    isNumbered: props.some(({ autoincrement }) => autoincrement === true),
    needs: new Set(targets.filter((target) => target !== tableName)),
  };
}
