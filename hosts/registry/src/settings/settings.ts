import { describeKind, parseScalar } from "./kinds.ts";
import type { Kind, NamedSection, Scalar, ScalarKind, Section, ValueOf } from "./kinds.ts";
import { VALUES_NOT_BUILT, VALUES_OF_PACKAGES } from "./not-built.ts";
import type { Entries, Entry } from "./sources.ts";
import { foldKey } from "./sources.ts";
import { SETTINGS } from "./table.ts";
import type { SettingKey } from "./table.ts";
import type { Setting } from "./setting.ts";

type Fields<Key extends SettingKey> = (typeof SETTINGS)[Key];
type HasFallback<Key extends SettingKey> =
  Fields<Key> extends { readonly fallback: string } ? true : false;

/** What a key of the table reads as. Without a default, undefined stands for "not set". */
export type SettingValue<Key extends SettingKey> =
  | ValueOf<Fields<Key>["kind"]>
  | (HasFallback<Key> extends true ? never : Absent<Fields<Key>["kind"]>);

/** A list without entries is empty, not absent. */
type Absent<K extends Kind> = K extends { readonly type: ManyType } ? never : undefined;
type ManyType = "list" | "named" | "sections" | "named-sections";

/** The settings on their way to a `Config`: typed by the table, with the problems met so far. */
export type Settings = {
  readonly entries: Entries;
  get<Key extends SettingKey>(key: Key): SettingValue<Key>;
  /** The text as written, also for keys outside the table. */
  textOf(key: string): string | undefined;
  /** A setting or environment variable that another setting names: a secret kept elsewhere. */
  named(name: string): string | undefined;
  /** Entries below a section: `below("Host__Authentication")`. */
  below(section: string): readonly Entry[];
  /** Adds a problem, with the source of the key's value where it has one. */
  problem(key: string, words: string): void;
  readonly problems: readonly string[];
};

export function createSettings(
  entries: Entries,
  env: Readonly<Record<string, string | undefined>> = {},
): Settings {
  const problems: string[] = [];
  const found = (key: string): Entry | undefined => entries.get(foldKey(key));
  const below = (section: string): readonly Entry[] => {
    const prefix = `${foldKey(section)}__`;
    return [...entries].filter(([key]) => key.startsWith(prefix)).map(([, entry]) => entry);
  };
  const problem = (key: string, words: string): void => {
    const entry = found(key);
    problems.push(`${key}: ${words}${entry ? ` (from ${entry.source})` : ""}`);
  };
  const scalar = (key: string, setting: Setting): Scalar | undefined => {
    const text = found(key)?.text ?? setting.fallback;
    const kind = setting.kind;
    if (text === undefined || !isScalarKind(kind)) return undefined;
    if (text === "" && isUnsetByEmpty(kind)) return defaultOf(setting);
    const value = parseScalar(kind, text);
    if (value !== undefined) return value;
    problem(key, refusal(key, setting, text));
    return defaultOf(setting);
  };
  const list = (key: string, setting: Setting): readonly string[] => {
    if (setting.kind.type !== "list") return [];
    const { of } = setting.kind;
    const values: string[] = [];
    for (const entry of listEntries(found(key), below(key))) {
      const value = parseScalar(of, entry.text);
      if (value === undefined)
        problem(entry.key, refusal(entry.key, { ...setting, kind: of }, entry.text));
      else values.push(String(value));
    }
    return values;
  };
  const sections = (key: string, setting: Setting): readonly Section[] => {
    if (setting.kind.type !== "sections") return [];
    const { fields } = setting.kind;
    return sectionKeys(key, below(key)).map((section) => {
      const read = Object.entries(fields).flatMap(([name, kind]) => {
        const value = scalar(`${section}__${name}`, { ...setting, kind });
        return value === undefined ? [] : [[name, String(value)] as const];
      });
      return { key: section, fields: Object.fromEntries(read) };
    });
  };
  const namedSections = (key: string, setting: Setting): readonly NamedSection[] => {
    if (setting.kind.type !== "named-sections") return [];
    const fields = Object.entries(setting.kind.fields);
    return sectionNames(key, setting.kind.fields, below(key)).map((section) => {
      const read = fields.map(([name, kind]): [string, readonly string[]] => {
        const field = `${section.key}__${name}`;
        if (kind.type === "list") return [name, list(field, { ...setting, kind })];
        const value = scalar(field, { ...setting, kind });
        return [name, value === undefined ? [] : [String(value)]];
      });
      return { ...section, fields: Object.fromEntries(read) };
    });
  };
  return {
    entries,
    problems,
    below,
    problem,
    textOf: (key) => found(key)?.text,
    named: (name) => found(name)?.text ?? env[name],
    get: (key) => parseSetting(key, { scalar, list, sections, namedSections, below }),
  };
}

type Readers = {
  scalar(key: string, setting: Setting): Scalar | undefined;
  list(key: string, setting: Setting): readonly string[];
  sections(key: string, setting: Setting): readonly Section[];
  namedSections(key: string, setting: Setting): readonly NamedSection[];
  below(section: string): readonly Entry[];
};

/** The one place where the table's kinds become TypeScript types. */
function parseSetting<Key extends SettingKey>(key: Key, readers: Readers): SettingValue<Key> {
  const setting: Setting = SETTINGS[key];
  if (setting.kind.type === "list") return readers.list(key, setting) as SettingValue<Key>;
  if (setting.kind.type === "sections") return readers.sections(key, setting) as SettingValue<Key>;
  if (setting.kind.type === "named-sections") {
    return readers.namedSections(key, setting) as SettingValue<Key>;
  }
  if (setting.kind.type === "named") {
    const named = readers.below(key).map((one) => [one.key.slice(key.length + 2), one.text]);
    return Object.fromEntries(named) as SettingValue<Key>;
  }
  return readers.scalar(key, setting) as SettingValue<Key>;
}

function isScalarKind(kind: Kind): kind is ScalarKind {
  return !["list", "named", "sections", "named-sections"].includes(kind.type);
}

/** An empty text means "not set", as an operator blanks a value, unless empty is a value. */
function isUnsetByEmpty(kind: Kind): boolean {
  if (kind.type === "url") return kind.empty !== "allowed";
  return kind.type !== "choice" || !kind.values.includes("");
}

function defaultOf(setting: Setting): Scalar | undefined {
  const { kind, fallback } = setting;
  if (fallback === undefined || !isScalarKind(kind)) return undefined;
  return parseScalar(kind, fallback);
}

function refusal(key: string, setting: Setting, text: string): string {
  const allowed = describeKind(setting.kind);
  const missing = missingFor(VALUES_NOT_BUILT, key, text);
  if (missing)
    return `"${text}" needs ${missing}, which is not in this version; allowed: ${allowed}`;
  const name = missingFor(VALUES_OF_PACKAGES, key, text);
  if (name) {
    return (
      `"${text}" needs the package ${name}, which is installed neither beside the host nor in ` +
      `the working folder; without it allowed: ${allowed}`
    );
  }
  return `${setting.secret ? "the value" : `"${text}"`} is not allowed; allowed: ${allowed}`;
}

function missingFor(
  values: Readonly<Record<string, Readonly<Record<string, string>>>>,
  key: string,
  text: string,
): string | undefined {
  const asked = text.trim().toLowerCase();
  const found = Object.entries(values[key] ?? {}).find(([value]) => value.toLowerCase() === asked);
  return found?.[1];
}

/** By index, in the order of the indices; a bare value may hold several, separated by commas. */
function listEntries(bare: Entry | undefined, below: readonly Entry[]): readonly Entry[] {
  const index = (entry: Entry): number => Number(/__(\d+)$/.exec(entry.key)?.[1] ?? Number.NaN);
  const indexed = below
    .filter((entry) => Number.isInteger(index(entry)) && entry.text !== "")
    .toSorted((one, other) => index(one) - index(other));
  if (indexed.length > 0 || !bare) return indexed;
  return bare.text
    .split(",")
    .map((text) => ({ ...bare, text: text.trim() }))
    .filter((entry) => entry.text !== "");
}

/** `Some__Key__0`, … of all entries that have anything, in the order of their numbers. */
function sectionKeys(key: string, below: readonly Entry[]): readonly string[] {
  const depth = key.split("__").length;
  const numbers = below
    .filter(({ text }) => text !== "")
    .map((entry) => entry.key.replaceAll(":", "__").split("__")[depth] ?? "")
    .filter((number) => /^\d{1,4}$/.test(number));
  return [...new Set(numbers.map(Number))]
    .toSorted((one, other) => one - other)
    .map((number) => `${key}__${number}`);
}

/** `Some__Key__Name` of all names that have one of the fields, and that no other key has. */
function sectionNames(
  key: string,
  fields: Readonly<Record<string, unknown>>,
  below: readonly Entry[],
): readonly Pick<NamedSection, "name" | "key">[] {
  const depth = key.split("__").length;
  const folded = Object.keys(fields).map(foldKey);
  const found = new Map<string, string>();
  for (const entry of below.filter(({ text }) => text !== "")) {
    const parts = entry.key.replaceAll(":", "__").split("__");
    const name = foldKey(parts[depth] ?? "");
    if (!folded.includes(foldKey(parts[depth + 1] ?? "")) || isTaken(`${key}__${name}`)) continue;
    if (!found.has(name)) found.set(name, parts.slice(0, depth + 1).join("__"));
  }
  return [...found].map(([name, section]) => ({ name, key: section }));
}

function isTaken(section: string): boolean {
  const folded = foldKey(section);
  return Object.keys(SETTINGS).some((key) => `${foldKey(key)}__`.startsWith(`${folded}__`));
}
