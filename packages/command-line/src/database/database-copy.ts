import { copyDatabase, parseConnectionString } from "@sealhouse/database";
import type { DatabaseConfig } from "@sealhouse/database";
import { CommandError } from "../command.ts";
import type { Command } from "../command.ts";

export type DatabaseCopyOptions = {
  readonly from?: string;
  readonly to?: string;
  readonly toEnv?: string;
};

const TYPES: readonly (readonly [RegExp, DatabaseConfig["type"]])[] = [
  [/^(?:sqlite|file):/i, "Sqlite"],
  [/^postgres(?:ql)?:\/\//i, "PostgreSQL"],
  [/^(?:mysql|mariadb):\/\//i, "MySql"],
  [/^(?:mssql|sqlserver):\/\//i, "SqlServer"],
];

/** Copies a database into an empty one and prints the number of rows of each table. */
export async function copy(
  { load, env, stdout, stop }: Command,
  options: DatabaseCopyOptions,
): Promise<number> {
  const from = options.from === undefined ? load().config.database : parseUrl(options.from);
  const to = parseUrl(targetOf(options, env));
  const copied = await copyDatabase({
    from,
    to,
    signal: stop,
    onTable: ({ table, rows }) => {
      if (rows > 0) stdout(`copied ${rows} rows of ${table}`);
    },
  });
  const rows = copied.reduce((sum, table) => sum + table.rows, 0);
  stdout(`copied ${rows} rows; set Database__Type and Database__ConnectionString, then start`);
  return 0;
}

function targetOf({ to, toEnv }: DatabaseCopyOptions, env: Command["env"]): string {
  if (to !== undefined) return to;
  if (toEnv === undefined) throw new CommandError("Name the target with --to or --to-env.");
  const url = env[toEnv];
  if (url) return url;
  throw new CommandError(`The environment variable ${toEnv} is not set.`);
}

/** Errors do not repeat the URL, because it may contain a password. */
function parseUrl(text: string): DatabaseConfig {
  const type = TYPES.find(([scheme]) => scheme.test(text))?.[1];
  if (type) return parseConnectionString(type, text);
  throw new CommandError(
    "A database URL begins with sqlite:, postgres://, mysql:// or mssql://; " +
      "an example is sqlite:data/feed.db.",
  );
}
