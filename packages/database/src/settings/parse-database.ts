import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings, TypedSettings } from "@sealhouse/settings";
import { isBelowProc, typedSettings } from "@sealhouse/settings";
import { parseConnectionString } from "../connection-string.ts";
import type { DatabaseConfig } from "../connection-string.ts";
import { ConnectionStringError } from "../errors.ts";
import { DATABASE_SETTINGS } from "./table.ts";

type DatabaseSettings = TypedSettings<typeof DATABASE_SETTINGS>;

export type DatabaseStart = {
  readonly database: DatabaseConfig;
  /** Whether the schema is migrated at start. */
  readonly migrateAtStart: boolean;
  /** Milliseconds that a start waits for the database. */
  readonly databaseStartTimeoutMs: number;
  /** Milliseconds for which deleted content stays for views as of a time. */
  readonly keepContentMs: number;
};

/** `dataPath`: the folder of the SQLite file where no connection string is set. */
export function parseDatabase(settings: Settings, dataPath: string): DatabaseStart {
  const own = typedSettings(settings, DATABASE_SETTINGS);
  return {
    database: parseConnection(own, dataPath),
    migrateAtStart: own.get("RunMigrationsAtStartup"),
    databaseStartTimeoutMs: own.get("Database__StartTimeout"),
    keepContentMs: own.get("Feed__History__KeepContent"),
  };
}

function parseConnection(settings: DatabaseSettings, dataPath: string): DatabaseConfig {
  const type = settings.get("Database__Type");
  const { key, text } = connectionText(settings, type);
  if (text === undefined) {
    if (type !== "Sqlite") {
      settings.problem(
        "Database__ConnectionString",
        `is required for ${type}, here or as ConnectionStrings__${type}`,
      );
    }
    const path = join(dataPath, "sealhouse.db");
    return { type: "Sqlite", path, setting: "Host__DataPath" };
  }
  try {
    const database = parseConnectionString(type, text);
    requireAuthorities(database);
    if (database.type === "Sqlite" && isBelowProc(database.path)) {
      settings.problem(key, `the file ${database.path} is below /proc, which stores no files`);
    }
    return database.type === "Sqlite" ? { ...database, setting: key } : database;
  } catch (error) {
    settings.problem(key, error instanceof Error ? error.message : "cannot be read");
    return { type: "Sqlite", path: join(dataPath, "sealhouse.db") };
  }
}

/** @throws ConnectionStringError when the file of the certificate authorities cannot be read */
function requireAuthorities(database: DatabaseConfig): void {
  const path = "rootCertificate" in database ? database.rootCertificate : undefined;
  if (path === undefined) return;
  try {
    readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConnectionStringError("Root Certificate", `the file cannot be read: ${why}.`);
  }
}

/** The inline string wins, then the named one, then the one named like the type. */
function connectionText(
  settings: DatabaseSettings,
  type: string,
): { readonly key: string; readonly text: string | undefined } {
  const inline = settings.get("Database__ConnectionString");
  if (inline !== undefined) return { key: "Database__ConnectionString", text: inline };
  const name = settings.get("Database__ConnectionStringName");
  const keys = [name ?? type, ...(name === undefined ? (OTHER_SPELLINGS[type] ?? []) : [])].map(
    (entry) => `ConnectionStrings__${entry}`,
  );
  const [key = ""] = [...keys.filter((spelling) => settings.textOf(spelling)), ...keys];
  const text = settings.textOf(key);
  if (name !== undefined && !text) {
    settings.problem("Database__ConnectionStringName", `there is no ${key}`);
  }
  return { key, text: text === "" ? undefined : text };
}

/** Further spellings of `Database__Type`; the name of a connection string may have them too. */
const OTHER_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  PostgreSQL: ["Postgres"],
  MySql: ["MariaDb"],
};
