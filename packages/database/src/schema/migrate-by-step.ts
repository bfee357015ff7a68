import { CompiledQuery } from "kysely";
import type { Kysely } from "kysely";
import { statementsOf } from "../migrations/migration.ts";
import type { Migration } from "../migrations/migration.ts";
import { errnoOf } from "../raw/mysql-errors.ts";
import { CONTEXTS, MIGRATIONS_TABLE, MIGRATION_STEPS_TABLE } from "./contexts.ts";
import type { Context } from "./contexts.ts";

/**
 * Applies pending migrations where the database commits after every change of a table. Stores the
 * number of completed statements, so that an interrupted migration resumes. Only its next statement
 * may already be complete, so that statement alone tolerates existing work.
 */
export async function applyStepByStep(
  kysely: Kysely<unknown>,
  migrations: Readonly<Record<Context, readonly Migration[]>>,
): Promise<readonly string[]> {
  const applied: string[] = [];
  for (const context of CONTEXTS) {
    const rows = await ask(kysely, `select name from ${MIGRATIONS_TABLE[context]}`);
    const done = new Set(rows.map(({ name }) => name));
    for (const migration of migrations[context]) {
      if (done.has(migration.name)) continue;
      await apply(kysely, context, migration);
      applied.push(`${context}/${migration.name}`);
    }
  }
  return applied;
}

async function apply(
  kysely: Kysely<unknown>,
  context: Context,
  migration: Migration,
): Promise<void> {
  const key = [context, migration.name];
  const condition = "where context = ? and migration = ?";
  const mark = (sql: string, ...values: readonly unknown[]) =>
    ask(kysely, `update ${MIGRATION_STEPS_TABLE} set ${sql} ${condition}`, [...values, ...key]);
  const [begun] = await ask(
    kysely,
    `select done, in_doubt from ${MIGRATION_STEPS_TABLE} ${condition}`,
    key,
  );
  const done = Number(begun?.["done"] ?? 0);
  if (begun) await mark("in_doubt = 1");
  else await ask(kysely, `insert into ${MIGRATION_STEPS_TABLE} values (?, ?, 0, 1)`, key);
  for (const [index, sql] of statementsOf(migration, "mysql").entries()) {
    if (index < done) continue;
    try {
      await ask(kysely, sql);
    } catch (error) {
      const mayBeDone = index === done && begun?.["in_doubt"] === 1;
      if (isDoneAlready(error) && !mayBeDone) await mark("in_doubt = 0");
      if (!isDoneAlready(error) || !mayBeDone) throw failedAt(migration.name, index, error);
    }
    await mark("done = ?", index + 1);
  }
  // A kill in between finds nothing but these two to do.
  await ask(kysely, `insert into ${MIGRATIONS_TABLE[context]} (name) values (?)`, [migration.name]);
  await ask(kysely, `delete from ${MIGRATION_STEPS_TABLE} ${condition}`, key);
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
      "remove the cause and restart: the migration continues with this statement.",
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
