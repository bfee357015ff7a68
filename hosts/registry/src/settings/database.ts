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
  const key = `ConnectionStrings__${name ?? type}`;
  const text = settings.textOf(key);
  if (name !== undefined && !text) {
    settings.problem("Database__ConnectionStringName", `there is no ${key}`);
  }
  return { key, text: text === "" ? undefined : text };
}
