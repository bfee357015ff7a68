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

const LINE_LENGTH_MAX = 64;
/** Statements of SQL Server stand alone on their lines. */
const SQL_LINE_LENGTH_MAX = 90;

/** The source of a migration's class, with the SQL in lines that a person can review. */
export function migrationSource(
  name: string,
  { up, down }: { readonly up: readonly string[]; readonly down: readonly string[] },
): string {
  return `import { Migration } from "@mikro-orm/migrations";

export class ${name} extends Migration {
  override name = "${name}";

  override up(): void | Promise<void> {
${up.map(addSql).join("\n")}
  }

  override down(): void | Promise<void> {
${down.map(addSql).join("\n")}
  }
}
`;
}

function addSql(sql: string): string {
  return `    this.addSql(\`${wrapped(escapedText(sql), "      ")}\`);`;
}

function escapedText(sql: string): string {
  return sql.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
}

function wrapped(sql: string, indent: string, lengthMax = LINE_LENGTH_MAX): string {
  const lines = [""];
  for (const word of sql.split(" ")) {
    const line = lines.at(-1) ?? "";
    const isInText = lines.join(" ").split("'").length % 2 === 0;
    if (isInText || line === "" || line.length + word.length < lengthMax) {
      lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    } else lines.push(indent + word);
  }
  return lines.join("\n");
}

/** The source of a migration of SQL Server, whose columns of text all have one collation. */
export function sqlMigrationSource(name: string, statements: readonly string[]): string {
  const texts = statements.map((sql) => {
    const short = sql.replaceAll(/ collate Latin1_General_100_BIN2\b/g, "").replace(/;$/, "");
    return `    \`${wrapped(escapedText(short), "      ", SQL_LINE_LENGTH_MAX)}\`,`;
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
