import type { EntitySchema } from "@mikro-orm/core";
import { SchemaComparator, SqlSchemaGenerator } from "@mikro-orm/sql";
import type { Driver } from "./offline-orm.ts";
import { offlineOrm } from "./offline-orm.ts";

/** The statements that change the tables of one version of the entities into those of another. */
export function schemaDifference(
  driver: Driver,
  before: readonly EntitySchema[],
  after: readonly EntitySchema[],
): readonly string[] {
  const [from, to] = [generatorOf(driver, before), generatorOf(driver, after)];
  const comparator = new SchemaComparator(to.platform);
  const difference = comparator.compare(
    from.generator.getTargetSchema(),
    to.generator.getTargetSchema(),
  );
  return to.generator
    .diffToSQL(difference, { wrap: false })
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function generatorOf(driver: Driver, entities: readonly EntitySchema[]) {
  const { em } = offlineOrm(driver, entities);
  return { generator: new SqlSchemaGenerator(em), platform: em.getPlatform() };
}

/** Statements stand alone on their lines. */
const LINE_LENGTH_MAX = 90;

type ByDriver = Readonly<Record<Driver, readonly string[]>>;

/**
 * The source of a migration of all databases, in lines that a person can review. Statements that
 * differ only in the quotes of names are written once.
 */
export function sharedMigrationSource(
  name: string,
  { up, down }: { readonly up: ByDriver; readonly down: ByDriver },
): string {
  return `import type { SharedMigration } from "../shared-migration.ts";

export const ${name}: SharedMigration = {
  name: "${name}",
  up: ${statementsSource(up)},
  down: ${statementsSource(down)},
};
`;
}

function statementsSource(statements: ByDriver): string {
  const plain = Object.values(statements).map((list) => list.map(withDoubleQuotes));
  const [first = [], ...others] = plain;
  if (others.every((list) => list.join() === first.join())) return `() => ${listSource(first)}`;
  const entries = Object.entries(statements).map(
    ([driver, list]) => `    ${driver}: ${listSource(list.map(withoutCollation))},`,
  );
  return `{\n${entries.join("\n")}\n  }`;
}

function listSource(statements: readonly string[]): string {
  const lines = statements.map((sql) => `      \`${wrapped(escapedText(sql), "        ")}\`,`);
  return statements.length === 0 ? "[]" : `[\n${lines.join("\n")}\n    ]`;
}

function withDoubleQuotes(sql: string): string {
  return sql.replaceAll(/[`[\]]/g, '"').replace(/;$/, "");
}

/** Migrations add the collation of SQL Server's text themselves. */
function withoutCollation(sql: string): string {
  return sql.replaceAll(/ collate Latin1_General_100_BIN2\b/g, "").replace(/;$/, "");
}

function escapedText(sql: string): string {
  return sql.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
}

function wrapped(sql: string, indent: string): string {
  const lines = [""];
  for (const word of sql.split(" ")) {
    const line = lines.at(-1) ?? "";
    const isInText = lines.join(" ").split("'").length % 2 === 0;
    if (isInText || line === "" || line.length + word.length < LINE_LENGTH_MAX) {
      lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    } else lines.push(indent + word);
  }
  return lines.join("\n");
}

/** The source of a migration of SQL Server, whose columns of text all have one collation. */
export function sqlMigrationSource(name: string, statements: readonly string[]): string {
  const texts = statements.map((sql) => {
    return `    \`${wrapped(escapedText(withoutCollation(sql)), "      ")}\`,`;
  });
  return `import { collated } from "../sql-migration.ts";
import type { SqlMigration } from "../sql-migration.ts";

export const ${name}: SqlMigration = {
  name: "${name}",
  statements: [
${texts.join("\n")}
  ].map(collated),
};
`;
}
