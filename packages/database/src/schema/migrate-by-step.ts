import type { MigrationObject } from "@mikro-orm/core";
import type { Migration } from "@mikro-orm/migrations";
import { CompiledQuery } from "kysely";
import type { Kysely } from "kysely";
import type { Orm, Orms } from "../orm/open-orm.ts";
import { errnoOf } from "../raw/mysql-errors.ts";
import { CONTEXTS, MIGRATIONS_TABLE, MIGRATION_STEPS_TABLE } from "./contexts.ts";
import type { Context } from "./contexts.ts";

export type Migrations = Readonly<Record<Context, MigrationObject[]>>;

/**
 * Applies what is pending where the database commits with every change of a table. How many of a
 * migration's statements are done is written down after each of them, so that a migration which was
 * killed goes on where it stopped. Only its next statement may have been done without being written
 * down: that one alone may find its work there already.
 */
export async function applyStepByStep(
  kysely: Kysely<unknown>,
  orms: Orms,
  migrations: Migrations,
): Promise<readonly string[]> {
  const applied: string[] = [];
  for (const context of CONTEXTS) {
    const known = await ask(kysely, `select name from ${MIGRATIONS_TABLE[context]}`);
    const done = new Set(known.map(({ name }) => name));
    for (const migration of migrations[context]) {
      if (done.has(migration.name)) continue;
      await apply(kysely, context, { name: migration.name, sql: sqlOf(orms[context], migration) });
      applied.push(`${context}/${migration.name}`);
    }
  }
  return applied;
}

type Steps = { readonly name: string; readonly sql: Promise<readonly string[]> };

async function apply(kysely: Kysely<unknown>, context: Context, steps: Steps): Promise<void> {
  const key = [context, steps.name];
  const at = "where context = ? and migration = ?";
  const [begun] = await ask(kysely, `select done from ${MIGRATION_STEPS_TABLE} ${at}`, key);
  const done = Number(begun?.["done"] ?? 0);
  if (!begun) await ask(kysely, `insert into ${MIGRATION_STEPS_TABLE} values (?, ?, 0)`, key);
  for (const [index, sql] of (await steps.sql).entries()) {
    if (index < done) continue;
    try {
      await ask(kysely, sql);
    } catch (error) {
      const mayBeDone = begun !== undefined && index === done;
      if (!mayBeDone || !isDoneAlready(error)) throw failedAt(steps.name, index, error);
    }
    await ask(kysely, `update ${MIGRATION_STEPS_TABLE} set done = ? ${at}`, [index + 1, ...key]);
  }
  // A kill in between finds nothing but these two to do.
  await ask(kysely, `insert into ${MIGRATIONS_TABLE[context]} (name) values (?)`, [steps.name]);
  await ask(kysely, `delete from ${MIGRATION_STEPS_TABLE} ${at}`, key);
}

/** The statements of a migration. Migrations consist of them: nothing is read in between. */
async function sqlOf(orm: Orm, { class: migration }: MigrationObject): Promise<readonly string[]> {
  const made = new (migration as new (
    ...from: ConstructorParameters<typeof Migration>
  ) => Migration)(orm.em.getDriver(), orm.config);
  await made.up();
  return made.getQueries().map(String);
}

/** Table, column or key exists; column, key or table to drop does not; constraint exists. */
const DONE_ALREADY = new Set([1050, 1051, 1060, 1061, 1091, 1826]);

function isDoneAlready(error: unknown): boolean {
  return DONE_ALREADY.has(errnoOf(error)) || String(error).includes("errno: 121");
}

function failedAt(name: string, index: number, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `Statement ${index + 1} of ${name} failed: ${why}. What came before it is done and stays; ` +
      "remove the cause and start again: the migration goes on with this statement.",
    { cause },
  );
}

async function ask(
  kysely: Kysely<unknown>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const query = CompiledQuery.raw(sql, [...values]);
  return (await kysely.executeQuery<Record<string, unknown>>(query)).rows;
}
