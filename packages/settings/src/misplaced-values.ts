import { keyPattern } from "./key-pattern.ts";
import { describeKind } from "./kinds.ts";
import type { FieldKind } from "./kinds.ts";
import type { Setting, SettingsTable } from "./setting.ts";
import type { Entries, Entry } from "./entries.ts";
import { foldKey } from "./fold-key.ts";

/**
 * Problems of lists and objects instead of one value, such as `[true]` in a settings file:
 * each with the full key of the setting.
 */
export function misplacedValues(entries: Entries, table: SettingsTable): readonly string[] {
  const keys = new Set(Object.keys(table).map(foldKey));
  const unknown = [...entries.values()].filter(({ key }) => !keys.has(foldKey(key)));
  if (unknown.length === 0) return [];
  const places = Object.entries(table).flatMap(([key, setting]) => placesOf(key, setting));
  const problems = unknown.flatMap((entry) => problemOf(entry, places) ?? []);
  return [...new Set(problems)];
}

/** Where one value is expected. */
type Place = { readonly pattern: RegExp; readonly allowed: string };

function placesOf(key: string, { kind }: Setting): readonly Place[] {
  const base = keyPattern(key);
  switch (kind.type) {
    case "list":
    case "named":
      return [];
    case "sections":
      return fieldPlaces(`${base}__\\d+`, kind.fields);
    case "named-sections":
      return fieldPlaces(`${base}__(?:(?!__).)+`, kind.fields);
    default:
      return [placeBelow(base, describeKind(kind))];
  }
}

function fieldPlaces(
  section: string,
  fields: Readonly<Record<string, FieldKind>>,
): readonly Place[] {
  return Object.entries(fields).flatMap(([field, kind]) =>
    kind.type === "list" ? [] : [placeBelow(`${section}__${foldKey(field)}`, describeKind(kind))],
  );
}

function placeBelow(key: string, allowed: string): Place {
  return { pattern: new RegExp(`^(${key})__`), allowed };
}

function problemOf({ key, source }: Entry, places: readonly Place[]): string | undefined {
  for (const { pattern, allowed } of places) {
    const [, parent] = pattern.exec(foldKey(key)) ?? [];
    if (parent === undefined) continue;
    const name = key.slice(0, parent.length);
    return `${name}: a list or an object is not allowed; allowed: ${allowed} (from ${source})`;
  }
  return undefined;
}
