import { join } from "node:path";
import { parseConnectionString } from "@sealhouse/database";
import type { DatabaseConfig } from "@sealhouse/database";
import type { Settings } from "./settings.ts";

export function parseDatabase(settings: Settings, dataPath: string): DatabaseConfig {
  const type = settings.get("Database__Type");
  const { key, text } = connectionText(settings, type);
  if (text === undefined) {
    if (type !== "Sqlite") {
      settings.problem(
        "Database__ConnectionString",
        `is required for ${type}, here or as ConnectionStrings__${type}`,
      );
    }
    return { type: "Sqlite", path: join(dataPath, "sealhouse.db") };
  }
  try {
    return parseConnectionString(type, text);
  } catch (error) {
    settings.problem(key, error instanceof Error ? error.message : "cannot be read");
    return { type: "Sqlite", path: join(dataPath, "sealhouse.db") };
  }
}

/** The inline string wins, then the named one, then the one named like the type. */
function connectionText(
  settings: Settings,
  type: string,
): { readonly key: string; readonly text: string | undefined } {
  const inline = settings.get("Database__ConnectionString");
  if (inline !== undefined) return { key: "Database__ConnectionString", text: inline };
  const name = settings.get("Database__ConnectionStringName");
  const keys = [name ?? type, ...(name === undefined ? (OTHER_SPELLINGS[type] ?? []) : [])].map(
    (entry) => `ConnectionStrings__${entry}`,
  );
  const [key = ""] = [...keys.filter((one) => settings.textOf(one)), ...keys];
  const text = settings.textOf(key);
  if (name !== undefined && !text) {
    settings.problem("Database__ConnectionStringName", `there is no ${key}`);
  }
  return { key, text: text === "" ? undefined : text };
}

/** What `Database__Type` takes beside the name of the kind, so may the connection string's name. */
const OTHER_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  PostgreSQL: ["Postgres"],
  MySql: ["MariaDb"],
};
