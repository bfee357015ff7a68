import { StorageSettingError } from "../storage-type.ts";
import type { StorageContext } from "../storage-type.ts";
import { connectionStringOf } from "./connection-string.ts";
import type { ConnectionString } from "./connection-string.ts";

/** Texts of settings by full key; only keys with a value. */
export type SettingTexts<Key extends string> = Readonly<Partial<Record<Key, string>>>;

/**
 * Merges the settings of a type with those of its connection string, such as `gs://bucket?…`.
 * `parse` returns the settings of the text.
 *
 * @throws {StorageSettingError} when both have a setting, with different values
 */
export function settingsWithAddress<Key extends string>(
  context: StorageContext,
  parse: (connection: ConnectionString) => SettingTexts<Key>,
): SettingTexts<Key> {
  const own = Object.fromEntries(
    Object.entries(context.values).filter(([, text]) => text !== ""),
  ) as SettingTexts<Key>;
  const connection = connectionStringOf(context);
  if (!connection) return own;
  const parsed = parse(connection);
  for (const key of Object.keys(parsed) as Key[]) {
    if (own[key] === undefined || own[key] === parsed[key]) continue;
    throw new StorageSettingError(
      key,
      `contradicts ${connection.key}, which has another value; remove one of the two`,
    );
  }
  return { ...own, ...parsed };
}

/**
 * Reads the query of a connection string. `keys` has the settings by name of the parameter; names
 * match in any case.
 *
 * @throws {StorageSettingError} for a parameter without a setting
 */
export function addressParameters<Key extends string>(
  connection: ConnectionString,
  query: string,
  keys: Readonly<Record<string, Key>>,
): SettingTexts<Key> {
  const settings: Partial<Record<Key, string>> = {};
  for (const [name, text] of new URLSearchParams(query)) {
    const lowerName = name.toLowerCase();
    const own = Object.entries(keys).find(([other]) => other.toLowerCase() === lowerName)?.[1];
    if (own === undefined) {
      throw new StorageSettingError(
        connection.key,
        `has the unknown parameter "${name}"; allowed: ${Object.keys(keys).join(", ")}`,
      );
    }
    settings[own] = text;
  }
  return settings;
}
