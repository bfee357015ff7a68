import type { EntitySchema } from "@mikro-orm/core";
import { SchemaComparator, SqlSchemaGenerator } from "@mikro-orm/sql";
import { commonSpelling } from "../migrations/every-database.ts";
import { inShort, statementsBy } from "../migrations/migration.ts";
import type { Statements } from "../migrations/migration.ts";
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
 * The source of a migration, in lines that a person can review. Statements that are the same but
 * for their spelling are written once.
 */
export function migrationSource(name: string, statements: Statements): string {
  const list = shortened(statements);
  const common = commonSpelling(list);
  const entries = DRIVERS.map((driver) => `    ${driver}: ${listSource(list[driver], "    ")},\n`);
  const imports = common ? 'import { onEveryDatabase } from "./every-database.ts";\n' : "";
  return `${imports}import type { Migration } from "./migration.ts";

export const ${name}: Migration = {
  name: "${name}",
  statements: ${
    common ? `onEveryDatabase(${listSource(common, "  ")})` : `{\n${entries.join("")}  }`
  },
};
`;
}

/**
 * The source of the tables of the first migration, in the common spelling.
 *
 * @throws Error The databases differ by more than their spelling.
 */
export function tablesSource(statements: Readonly<Record<Context, Statements>>): string {
  const lists = CONTEXTS.map((context) => {
    const common = commonSpelling(shortened(statements[context]));
    if (!common) throw new Error(`every-database.ts cannot spell the tables of ${context}`);
    return `export const ${context.toUpperCase()} = onEveryDatabase(${listSource(common, "")});\n`;
  });
  const comment = "// Generated: see create-migrations.ts.\n";
  return `${comment}import { onEveryDatabase } from "../every-database.ts";\n\n${lists.join("\n")}`;
}

function shortened(statements: Statements): Statements {
  return statementsBy((driver) => statements[driver].map((sql) => inShort(driver, sql)));
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
