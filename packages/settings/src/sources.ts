import { join } from "node:path";
import { foldKey } from "./fold-key.ts";
import { misplacedValues } from "./misplaced-values.ts";
import type { Entries, Entry } from "./entries.ts";
import type { SettingsTable } from "./setting.ts";

/** Options of `readSources`. */
export type SourcesOptions = {
  /** All settings of the program. */
  readonly table: SettingsTable;
  /** Key of the setting that selects `appsettings.{Environment}.json`. */
  readonly environmentKey: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--Section:Key=value` arguments. */
  readonly args: readonly SettingArgument[];
  /** Folders with settings files; a later one wins. */
  readonly folders: readonly string[];
  /** Keys without a section that are read from the environment although the table lacks them, so
   * that they can be refused. */
  readonly rootKeys?: readonly string[];
  /** Undefined when there is no such file. */
  readonly readFile: (path: string) => string | undefined;
};

/** A setting from the command line. */
export type SettingArgument = { readonly key: string; readonly text: string };

type Names = {
  /** Keys by their folded aliases. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Folded keys, aliases and root keys. */
  readonly all: ReadonlySet<string>;
};

function namesOf(table: SettingsTable, rootKeys: readonly string[]): Names {
  const aliases = new Map(
    Object.entries(table).flatMap(([key, setting]) =>
      (setting.aliases ?? []).map((alias) => [foldKey(alias), key] as const),
    ),
  );
  const keys = [...Object.keys(table), ...rootKeys].map(foldKey);
  return { aliases, all: new Set([...keys, ...aliases.keys()]) };
}

/**
 * Reads all sources, later wins: each folder's `appsettings.json` and
 * `appsettings.{Environment}.json`, the environment, the command line. A file that is not a JSON
 * object is a problem, not an exception; so is a list or an object instead of one value.
 */
export function readSources(options: SourcesOptions): {
  readonly entries: Entries;
  readonly problems: readonly string[];
} {
  const { table, environmentKey, env, args, folders, rootKeys = [], readFile } = options;
  const problems: string[] = [];
  const names = namesOf(table, rootKeys);
  const direct = [environmentEntries(env, names), argumentEntries(args)];
  const environment =
    layered([direct.flat()], names).get(foldKey(environmentKey))?.text ||
    (table[environmentKey]?.fallback ?? "");
  const files = folders.flatMap((folder) => [
    join(folder, "appsettings.json"),
    join(folder, `appsettings.${environment.replaceAll(/[^\w.-]/g, "")}.json`),
  ]);
  const layers = files.map((file) => fileEntries(file, readFile(file), problems));
  const entries = layered([...layers, ...direct], names);
  return { entries, problems: [...problems, ...misplacedValues(entries, table)] };
}

/** Within one layer the setting's own name wins over an alias. */
function layered(layers: readonly (readonly Entry[])[], { aliases }: Names): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const layer of layers) {
    const layerKeys = new Set(layer.map((entry) => foldKey(entry.key)));
    for (const entry of layer) {
      const key = aliases.get(foldKey(entry.key)) ?? entry.key;
      if (key !== entry.key && layerKeys.has(foldKey(key)) && foldKey(key) !== foldKey(entry.key)) {
        continue;
      }
      entries.set(foldKey(key), { ...entry, key });
    }
  }
  return entries;
}

/** Only names with a section, of the table and root keys: `HOST` and `PATH` are not settings. */
function environmentEntries(env: SourcesOptions["env"], { all }: Names): Entry[] {
  return Object.entries(env).flatMap(([key, text]) =>
    text !== undefined && (key.includes("__") || all.has(foldKey(key)))
      ? [{ key: key.replaceAll(":", "__"), text, source: `environment variable ${key}` }]
      : [],
  );
}

function argumentEntries(args: SourcesOptions["args"]): Entry[] {
  return args.map(({ key, text }) => ({
    key: key.replaceAll(":", "__"),
    text,
    source: `command line --${key}`,
  }));
}

function fileEntries(path: string, text: string | undefined, problems: string[]): Entry[] {
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
      return flatten(parsed, path);
    }
    problems.push(`${path}: must hold one JSON object`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(`${path}: is not valid JSON: ${reason}`);
  }
  return [];
}

function flatten(node: unknown, source: string, path = ""): Entry[] {
  if (typeof node === "object" && node !== null) {
    return Object.entries(node).flatMap(([name, child]) =>
      flatten(child, source, path === "" ? name : `${path}__${name}`),
    );
  }
  if (typeof node !== "string" && typeof node !== "number" && typeof node !== "boolean") return [];
  return [{ key: path.replaceAll(":", "__"), text: String(node), source }];
}
