import type { EntitySchema } from "@mikro-orm/core";
import { SchemaComparator, SqlSchemaGenerator } from "@mikro-orm/sql";
import { inShort } from "../migrations/migration.ts";
import { CONTEXTS } from "./contexts.ts";
import type { Context } from "./contexts.ts";
import { DRIVERS, offlineOrm } from "./offline-orm.ts";
import type { Driver } from "./offline-orm.ts";

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

/**
 * The source of a migration, in lines that a person can review. Statements that are the same on
 * every database are written once.
 */
export function migrationSource(
  name: string,
  statements: Readonly<Record<Driver, readonly string[]>>,
): string {
  const lists = DRIVERS.map((driver) => statements[driver].map((sql) => inShort(driver, sql)));
  const [first = [], ...others] = lists;
  const isSame = others.every((list) => list.join("\n") === first.join("\n"));
  const entries = DRIVERS.map(
    (driver, index) => `    ${driver}: ${listSource(lists[index] ?? [], "    ")},\n`,
  );
  const imports = isSame ? 'import { onEveryDatabase } from "./migration.ts";\n' : "";
  return `${imports}import type { Migration } from "./migration.ts";

export const ${name}: Migration = {
  name: "${name}",
  statements: ${
    isSame ? `onEveryDatabase(${listSource(first, "  ")})` : `{\n${entries.join("")}  }`
  },
};
`;
}

/** The source of the tables of one database, of the first migration. */
export function tablesSource(
  driver: Driver,
  statements: Readonly<Record<Context, readonly string[]>>,
): string {
  const lists = CONTEXTS.map((context) => {
    const list = statements[context].map((sql) => inShort(driver, sql));
    return `export const ${context.toUpperCase()}: readonly string[] = ${listSource(list, "")};\n`;
  });
  return `// Generated: see create-migrations.ts.\n\n${lists.join("\n")}`;
}

function listSource(statements: readonly string[], indent: string): string {
  const inner = `${indent}  `;
  const lines = statements.map((sql) => `${inner}${quoted(wrapped(sql, `${inner}  `))},\n`);
  return statements.length === 0 ? "[]" : `[\n${lines.join("")}${indent}]`;
}

function quoted(sql: string): string {
  if (!sql.includes("\n") && !sql.includes("'")) return `'${sql}'`;
  return `\`${sql.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${")}\``;
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
