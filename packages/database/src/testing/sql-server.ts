import { randomBytes } from "node:crypto";
import { parseConnectionString } from "../connection-string.ts";
import type { SqlServerConfig } from "../connection-string.ts";
import type { SqlServerSession } from "../raw/sqlserver-session.ts";

/** Databases on a SQL Server that the environment names. */
export interface TestSqlServer extends AsyncDisposable {
  createDatabase(): Promise<SqlServerConfig>;
  /** Removes every row outside of the tables named; ids begin at 1 again. */
  emptyDatabase(config: SqlServerConfig, except: readonly string[]): Promise<void>;
}

/** The server of `TEST_MSSQL_URL`; its account creates databases. */
export function givenSqlServer(): SqlServerConfig | undefined {
  const url = process.env["TEST_MSSQL_URL"];
  return url ? parseConnectionString("SqlServer", url) : undefined;
}

/** Creates databases next to that of `server`, and drops them at the end. */
export function sqlServerAt(server: SqlServerConfig): TestSqlServer {
  const created: string[] = [];
  return {
    async createDatabase() {
      const database = `test_${randomBytes(6).toString("hex")}`;
      created.push(database);
      await within(server, async ({ batch }) => {
        await batch(`create database [${database}]`);
        await batch(`alter database [${database}] set read_committed_snapshot on`);
      });
      return { ...server, database };
    },
    emptyDatabase: (config, except) => within(config, (session) => emptyTables(session, except)),
    async [Symbol.asyncDispose]() {
      await within(server, async ({ batch }) => {
        for (const database of created.splice(0)) {
          await batch(`alter database [${database}] set single_user with rollback immediate`);
          await batch(`drop database [${database}]`);
        }
      });
    },
  };
}

async function emptyTables({ batch }: SqlServerSession, except: readonly string[]): Promise<void> {
  const { rows } = await batch(
    `select t.name, i.last_value as last from sys.tables t
     left join sys.identity_columns i on i.object_id = t.object_id`,
  );
  const tables = rows.filter(({ name }) => !except.includes(String(name)));
  const each = async (sql: (table: string) => string) => {
    for (const { name } of tables) await batch(sql(`[${String(name)}]`));
  };
  await each((table) => `alter table ${table} nocheck constraint all`);
  await each((table) => `delete from ${table}`);
  await each((table) => `alter table ${table} with check check constraint all`);
  for (const { name, last } of tables) {
    if (last !== null)
      await batch(`dbcc checkident('${String(name)}', reseed, 0) with no_infomsgs`);
  }
}

/** Runs work on one connection. Loads the driver, which tests on other databases do without. */
export async function within<T>(
  config: SqlServerConfig,
  work: (session: SqlServerSession) => Promise<T>,
): Promise<T> {
  const { openSession } = await import("../raw/sqlserver-session.ts");
  const session = await openSession(config);
  try {
    return await work(session);
  } finally {
    session.close();
  }
}
