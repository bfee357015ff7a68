import { MIGRATIONS } from "../migrations/list.ts";
import { statementsOf } from "../migrations/migration.ts";
import type { Migration } from "../migrations/migration.ts";
import type { SqlServerConnections } from "../raw/sqlserver.ts";
import type { SqlServerSession } from "../raw/sqlserver-session.ts";
import { withDatabaseErrors } from "../raw/unavailable.ts";
import { CONTEXTS, MIGRATIONS_TABLE } from "./contexts.ts";
import type { Context } from "./contexts.ts";
import { LOCK_WAIT_MAX_MS, lockedTooLong } from "./migration-lock-timeout.ts";

/** Returns a negative number when the lock is not granted. */
export const LOCK = `declare @result int;
exec @result = sp_getapplock @Resource = N'sealhouse-migrations', @LockMode = N'Exclusive',
  @LockOwner = N'Session', @LockTimeout = ${LOCK_WAIT_MAX_MS};
select @result as result`;

/** Creates the log of the migrations of a context. */
export function createLog(context: Context): string {
  const table = MIGRATIONS_TABLE[context];
  return `if object_id(N'${table}') is null create table ${table}
  (id int identity(1,1) not null primary key, name nvarchar(255) not null,
  executed_at datetime2(3) not null default sysutcdatetime())`;
}

/**
 * Applies pending migrations in one transaction under a lock of the session, so that only one
 * instance migrates.
 *
 * @returns the names of the applied migrations, with their context
 */
export async function migrateSqlServer(
  port: Pick<SqlServerConnections, "place" | "connect">,
  migrations: Readonly<Record<Context, readonly Migration[]>> = MIGRATIONS,
): Promise<readonly string[]> {
  const session = await port.connect();
  try {
    return await withDatabaseErrors(port.place, async () => {
      const { rows } = await session.batch(LOCK);
      if (Number(rows[0]?.["result"] ?? -1) < 0) throw lockedTooLong();
      await session.batch("begin transaction");
      const applied: string[] = [];
      for (const context of CONTEXTS) {
        await session.batch(createLog(context));
        applied.push(...(await applyPending(session, context, migrations[context])));
      }
      await session.batch("commit transaction");
      return applied;
    });
  } finally {
    // An open transaction and the lock go with the connection.
    session.close();
  }
}

async function applyPending(
  session: SqlServerSession,
  context: Context,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const table = MIGRATIONS_TABLE[context];
  const { rows } = await session.batch(`select name from ${table}`);
  const done = new Set(rows.map(({ name }) => name));
  const applied: string[] = [];
  for (const migration of migrations) {
    const { name } = migration;
    if (done.has(name)) continue;
    for (const statement of statementsOf(migration, "mssql")) await session.batch(statement);
    await session.execute(`insert into ${table} (name) values (@1)`, [name]);
    applied.push(`${context}/${name}`);
  }
  return applied;
}
