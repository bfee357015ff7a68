import { isKey, keyPattern } from "./key-pattern.ts";
import type { Kind } from "./kinds.ts";
import type { Entries, Entry } from "./entries.ts";
import { foldKey } from "./fold-key.ts";
import type { Setting } from "./setting.ts";

/** Warnings about unknown keys in sections of the table, or in misspelt ones, each with the nearest
 * key. `isIgnored` gets a folded key; it excludes keys that are handled elsewhere. */
export function unknownKeys(
  entries: Entries,
  table: ReadonlyMap<string, Setting>,
  isIgnored: (key: string) => boolean = () => false,
): readonly string[] {
  const sections = new Set([...table.keys()].map((key) => sectionOf(foldKey(key))));
  return [...entries.values()]
    .filter((entry) => isOfSection(sectionOf(foldKey(entry.key)), sections))
    .filter((entry) => !isKnown(entry, table) && !isIgnored(foldKey(entry.key)))
    .flatMap((entry) => {
      const near = nearest(entry.key, [...table.keys()]);
      if (near === undefined && !sections.has(sectionOf(foldKey(entry.key)))) return [];
      const hint = near === undefined ? "" : `; did you mean ${near}?`;
      return [`${entry.key} (from ${entry.source}) is not a known setting${hint}`];
    });
}

/** Other programs have their own sections in the environment, so few letters may differ. */
const WRONG_LETTERS_MAX = 2;
const SECTION_LENGTH_MIN = 4;

function isOfSection(section: string, sections: ReadonlySet<string>): boolean {
  if (sections.has(section)) return true;
  const allowed = section.length <= SECTION_LENGTH_MIN ? 1 : WRONG_LETTERS_MAX;
  return (
    section.length >= SECTION_LENGTH_MIN &&
    [...sections].some((knownSection) => editDistance(section, knownSection) <= allowed)
  );
}

function sectionOf(folded: string): string {
  return folded.split("__", 1)[0] ?? folded;
}

function isKnown(entry: Entry, table: ReadonlyMap<string, Setting>): boolean {
  const key = foldKey(entry.key);
  return [...table].some(([name, { kind }]) => {
    if (isKey(key, name)) return true;
    const pattern = keyPattern(name);
    if (kind.type === "list") return new RegExp(`^${pattern}__\\d+$`).test(key);
    if (kind.type === "sections") {
      return new RegExp(`^${pattern}__\\d+__(?:${fieldsOf(kind)})$`).test(key);
    }
    if (kind.type === "named-sections") {
      const ofSection = new RegExp(`^(${pattern}__(?:(?!__).)+__)(?:${fieldsOf(kind)})$`);
      const section = ofSection.exec(key)?.[1];
      return (
        section !== undefined && ![...table.keys()].some((tableKey) => isIn(tableKey, section))
      );
    }
    return kind.type === "named" && key.startsWith(`${foldKey(name)}__`);
  });
}

/** Text of a regular expression for the fields of a section. */
function fieldsOf({ fields }: Extract<Kind, { readonly type: "sections" | "named-sections" }>) {
  return Object.entries(fields)
    .map(([field, { type }]) => `${foldKey(field)}${type === "list" ? "(?:__\\d+)?" : ""}`)
    .join("|");
}

function isIn(key: string, section: string): boolean {
  return `${foldKey(key)}__`.startsWith(section);
}

function nearest(key: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(foldKey(key), foldKey(name)) }))
    .toSorted((candidate, other) => candidate.distance - other.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(3, key.length / 3) ? best.name : undefined;
}

/** Levenshtein, one row at a time. */
export function editDistance(text: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 1; index <= text.length; index += 1) {
    const next = [index];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (text[index - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min((row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, changed));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
