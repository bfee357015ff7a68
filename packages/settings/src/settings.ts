import { describeKind, parseScalar } from "./kinds.ts";
import type { Kind, NamedSection, Scalar, ScalarKind, Section, ValueOf } from "./kinds.ts";
import type { Entries, Entry } from "./entries.ts";
import { foldKey } from "./fold-key.ts";
import type { Setting, SettingsTable } from "./setting.ts";
import { withoutCredentials } from "./show.ts";

type HasFallback<One extends Setting> = One extends { readonly fallback: string } ? true : false;

/** The type of a setting's value. Without a default, undefined means "not set". */
export type SettingValue<One extends Setting> =
  | ValueOf<One["kind"]>
  | (HasFallback<One> extends true ? never : Absent<One["kind"]>);

/** A list without entries is empty, not absent. */
type Absent<K extends Kind> = K extends { readonly type: ManyType } ? never : undefined;
type ManyType = "list" | "named" | "sections" | "named-sections";

/** The entries of all sources, with the problems found so far. */
export type Settings = {
  readonly entries: Entries;
  /** Environment variables, for files that refer to them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Typed values of a table, which must be part of the table that the settings were made with. */
  of<Table extends SettingsTable>(table: Table): SettingValues<Table>;
  /** The text as written; of any key. */
  textOf(key: string): string | undefined;
  /** A setting or environment variable by name: for secrets that another setting refers to. */
  named(name: string): string | undefined;
  /** Entries below a section: `below("Host__Authentication")`. */
  below(section: string): readonly Entry[];
  /** Adds a problem, unless it is there; the message names the source of the value. */
  problem(key: string, words: string): void;
  readonly problems: readonly string[];
};

/** Reads one table. An invalid value is a problem, and its default is used. */
export type SettingValues<Table extends SettingsTable> = {
  get<Key extends keyof Table & string>(key: Key): SettingValue<Table[Key]>;
};

/** Settings with the typed values of a table. */
export type TypedSettings<Table extends SettingsTable> = Settings & SettingValues<Table>;

/** Adds the typed values of `table` to `settings`. */
export function typedSettings<Table extends SettingsTable>(
  settings: Settings,
  table: Table,
): TypedSettings<Table> {
  return { ...settings, ...settings.of(table) };
}

/** Values of choices that need more than this program has. */
export type UnavailableValues = {
  /** Missing parts of the program, by key and value. */
  readonly notBuilt?: ValueNotes;
  /** Reasons why the program will not have them, by key and value. */
  readonly refused?: ValueNotes;
  /** The package that has to be installed, by key and value. */
  readonly packages?: ValueNotes;
  /** Returns how to install a package, as the end of a sentence. */
  readonly howToInstall?: (packageName: string) => string;
};

/** Notes on values, by key and value. */
export type ValueNotes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Options of `createSettings`. */
export type SettingsOptions = {
  /** All settings of the program. */
  readonly table: SettingsTable;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly unavailable?: UnavailableValues;
};

/** Opens the entries of all sources for reading. */
export function createSettings(entries: Entries, options: SettingsOptions): Settings {
  const { table, env = {}, unavailable = {} } = options;
  const problems: string[] = [];
  const findEntry = (key: string): Entry | undefined => entries.get(foldKey(key));
  const below = (section: string): readonly Entry[] => {
    const prefix = `${foldKey(section)}__`;
    return [...entries].filter(([key]) => key.startsWith(prefix)).map(([, entry]) => entry);
  };
  const problem = (key: string, words: string): void => {
    const entry = findEntry(key);
    const message = `${key}: ${words}${entry ? ` (from ${entry.source})` : ""}`;
    if (!problems.includes(message)) problems.push(message);
  };
  const readers = createReaders({ table, unavailable, findEntry, below, problem });
  return {
    entries,
    env,
    problems,
    below,
    problem,
    textOf: (key) => findEntry(key)?.text,
    named: (name) => findEntry(name)?.text ?? env[name],
    of: (part) => ({
      get: (key) => parseSetting(part, key, readers),
    }),
  };
}

type Sources = Pick<Settings, "below" | "problem"> & {
  readonly table: SettingsTable;
  readonly unavailable: UnavailableValues;
  readonly findEntry: (key: string) => Entry | undefined;
};

/** Readers of the kinds. */
function createReaders({ table, unavailable, findEntry, below, problem }: Sources): Readers {
  const scalar = (key: string, setting: Setting): Scalar | undefined => {
    const text = findEntry(key)?.text ?? setting.fallback;
    const kind = setting.kind;
    if (text === undefined || !isScalarKind(kind)) return undefined;
    if (text === "" && isUnsetByEmpty(kind)) return defaultOf(setting);
    const value = parseScalar(kind, text);
    if (value !== undefined) return value;
    problem(key, refusal(key, setting, { text, unavailable }));
    return defaultOf(setting);
  };
  const list = (key: string, setting: Setting): readonly string[] => {
    if (setting.kind.type !== "list") return [];
    const { of } = setting.kind;
    const values: string[] = [];
    for (const entry of listEntries(findEntry(key), below(key))) {
      const value = parseScalar(of, entry.text);
      if (value === undefined)
        problem(
          entry.key,
          refusal(entry.key, { ...setting, kind: of }, { text: entry.text, unavailable }),
        );
      else values.push(String(value));
    }
    return values;
  };
  const sections = (key: string, setting: Setting): readonly Section[] => {
    if (setting.kind.type !== "sections") return [];
    const fields = Object.entries(setting.kind.fields);
    return sectionKeys(key, below(key)).map((section) => {
      const scalars = fields.flatMap(([name, kind]) => {
        if (kind.type === "list") return [];
        const value = scalar(`${section}__${name}`, { ...setting, kind });
        return value === undefined ? [] : [[name, String(value)] as const];
      });
      const lists = fields.flatMap(([name, kind]) =>
        kind.type === "list"
          ? [[name, list(`${section}__${name}`, { ...setting, kind })] as const]
          : [],
      );
      return {
        key: section,
        fields: Object.fromEntries(scalars),
        lists: Object.fromEntries(lists),
      };
    });
  };
  const namedSections = (key: string, setting: Setting): readonly NamedSection[] => {
    if (setting.kind.type !== "named-sections") return [];
    const fields = Object.entries(setting.kind.fields);
    return sectionNames(key, setting.kind.fields, { below: below(key), table }).map((section) => {
      const read = fields.map(([name, kind]): [string, readonly string[]] => {
        const field = `${section.key}__${name}`;
        if (kind.type === "list") return [name, list(field, { ...setting, kind })];
        const value = scalar(field, { ...setting, kind });
        return [name, value === undefined ? [] : [String(value)]];
      });
      return { ...section, fields: Object.fromEntries(read) };
    });
  };
  return { scalar, list, sections, namedSections, below };
}

type Readers = {
  scalar(key: string, setting: Setting): Scalar | undefined;
  list(key: string, setting: Setting): readonly string[];
  sections(key: string, setting: Setting): readonly Section[];
  namedSections(key: string, setting: Setting): readonly NamedSection[];
  below(section: string): readonly Entry[];
};

/** The only place where the kinds of a table become TypeScript types. */
function parseSetting<Table extends SettingsTable, Key extends keyof Table & string>(
  table: Table,
  key: Key,
  readers: Readers,
): SettingValue<Table[Key]> {
  type Value = SettingValue<Table[Key]>;
  const setting: Setting = table[key] ?? UNKNOWN;
  if (setting.kind.type === "list") return readers.list(key, setting) as Value;
  if (setting.kind.type === "sections") return readers.sections(key, setting) as Value;
  if (setting.kind.type === "named-sections") return readers.namedSections(key, setting) as Value;
  if (setting.kind.type === "named") {
    const pairs = readers.below(key).map((entry) => [entry.key.slice(key.length + 2), entry.text]);
    return Object.fromEntries(pairs) as Value;
  }
  return readers.scalar(key, setting) as Value;
}

const UNKNOWN: Setting = { kind: { type: "text" }, about: "" };

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

function refusal(
  key: string,
  setting: Setting,
  { text, unavailable }: { readonly text: string; readonly unavailable: UnavailableValues },
): string {
  const builtIn = describeKind(setting.kind);
  const allowed = withPackages(builtIn, unavailable.packages?.[key]);
  const missing = missingFor(unavailable.notBuilt, key, text);
  if (missing)
    return `"${text}" needs ${missing}, which is not in this version; allowed: ${allowed}`;
  const reason = missingFor(unavailable.refused, key, text);
  if (reason) return `"${text}" is not supported: ${reason}; allowed: ${allowed}`;
  const name = missingFor(unavailable.packages, key, text);
  if (name) {
    const how = unavailable.howToInstall?.(name) ?? "install it";
    return `"${text}" requires the package ${name}: ${how}. Allowed without it: ${builtIn}`;
  }
  const shown = setting.secret ? "the value" : `"${withoutCredentials(text)}"`;
  return `${shown} is not allowed; allowed: ${allowed}`;
}

/** Returns all values of a choice: those that packages add, too. */
function withPackages(builtIn: string, packages: ValueNotes[string] = {}): string {
  const known = builtIn.split(", ");
  const added = Object.keys(packages).filter((value) => !known.includes(value));
  return [...known, ...added].join(", ");
}

function missingFor(values: ValueNotes | undefined, key: string, text: string): string | undefined {
  const lowerText = text.trim().toLowerCase();
  const note = Object.entries(values?.[key] ?? {}).find(
    ([value]) => value.toLowerCase() === lowerText,
  );
  return note?.[1];
}

/** By index, in the order of the indices; a bare value may hold several, separated by commas. */
function listEntries(bare: Entry | undefined, below: readonly Entry[]): readonly Entry[] {
  const index = (entry: Entry): number => Number(/__(\d+)$/.exec(entry.key)?.[1] ?? Number.NaN);
  const indexed = below
    .filter((entry) => Number.isInteger(index(entry)) && entry.text !== "")
    .toSorted((entry, other) => index(entry) - index(other));
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
    .toSorted((number, other) => number - other)
    .map((number) => `${key}__${number}`);
}

/** `Some__Key__Name` of all names that have one of the fields, and that no other key has. */
function sectionNames(
  key: string,
  fields: Readonly<Record<string, unknown>>,
  { below, table }: { readonly below: readonly Entry[]; readonly table: SettingsTable },
): readonly Pick<NamedSection, "name" | "key">[] {
  const depth = key.split("__").length;
  const folded = Object.keys(fields).map(foldKey);
  const sections = new Map<string, string>();
  for (const entry of below.filter(({ text }) => text !== "")) {
    const parts = entry.key.replaceAll(":", "__").split("__");
    const name = foldKey(parts[depth] ?? "");
    if (!folded.includes(foldKey(parts[depth + 1] ?? "")) || isTaken(`${key}__${name}`, table))
      continue;
    if (!sections.has(name)) sections.set(name, parts.slice(0, depth + 1).join("__"));
  }
  return [...sections].map(([name, section]) => ({ name, key: section }));
}

function isTaken(section: string, table: SettingsTable): boolean {
  const folded = foldKey(section);
  return Object.keys(table).some((key) => `${foldKey(key)}__`.startsWith(`${folded}__`));
}
