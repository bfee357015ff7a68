import { join } from "node:path";
import { SETTINGS } from "./table.ts";

/** One value, as somebody wrote it somewhere. */
export type Entry = {
  /** In the environment form, `Section__Key`, in the writer's casing. */
  readonly key: string;
  readonly text: string;
  /** For people: `environment variable Storage__Type`. */
  readonly source: string;
};

/** Values by `foldKey(key)`; what came last has won. */
export type Entries = ReadonlyMap<string, Entry>;

export type SourcesAsked = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--Section:Key=value` arguments; whatever else stands there is ignored. */
  readonly args: readonly SettingArgument[];
  /** Folders with settings files; a later one wins. */
  readonly folders: readonly string[];
  /** Undefined when there is no such file. */
  readonly readFile: (path: string) => string | undefined;
};

export type SettingArgument = { readonly key: string; readonly text: string };

/** Keys are equal whatever their casing, and whether `:` or `__` separates the sections. */
export function foldKey(key: string): string {
  return key.replaceAll(":", "__").toLowerCase();
}

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries(SETTINGS).flatMap(([key, setting]) =>
    "aliases" in setting ? setting.aliases.map((alias) => [foldKey(alias), key] as const) : [],
  ),
);

/**
 * Reads all sources, later wins: each folder's `appsettings.json` and
 * `appsettings.{Environment}.json`, the environment, the command line. A file that is not a JSON
 * object is a problem, not an exception.
 */
export function readSources(asked: SourcesAsked): {
  readonly entries: Entries;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const direct = [...environmentEntries(asked.env), ...argumentEntries(asked.args)];
  const environment =
    layered([direct]).get(foldKey("ASPNETCORE_ENVIRONMENT"))?.text ||
    SETTINGS.ASPNETCORE_ENVIRONMENT.fallback;
  const files = asked.folders.flatMap((folder) => [
    join(folder, "appsettings.json"),
    join(folder, `appsettings.${environment.replaceAll(/[^\w.-]/g, "")}.json`),
  ]);
  const layers = files.map((file) => fileEntries(file, asked.readFile(file), problems));
  layers.push(environmentEntries(asked.env), argumentEntries(asked.args));
  return { entries: layered(layers), problems };
}

/** Within one layer the setting's own name wins over an alias. */
function layered(layers: readonly (readonly Entry[])[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const layer of layers) {
    const named = new Set(layer.map((entry) => foldKey(entry.key)));
    for (const entry of layer) {
      const key = ALIASES.get(foldKey(entry.key)) ?? entry.key;
      if (key !== entry.key && named.has(foldKey(key)) && foldKey(key) !== foldKey(entry.key)) {
        continue;
      }
      entries.set(foldKey(key), { ...entry, key });
    }
  }
  return entries;
}

/** Only names with a section, and those of the table: `HOST` or `PATH` are no settings. */
function environmentEntries(env: SourcesAsked["env"]): Entry[] {
  const alone = new Set([...Object.keys(SETTINGS).map(foldKey), ...ALIASES.keys()]);
  return Object.entries(env).flatMap(([key, text]) =>
    text !== undefined && (key.includes("__") || alone.has(foldKey(key)) || isRootSwitch(key))
      ? [{ key: key.replaceAll(":", "__"), text, source: `environment variable ${key}` }]
      : [],
  );
}

/** Switches of the older host that have no section. */
function isRootSwitch(key: string): boolean {
  return ["packagedeletionbehavior", "allowpackageoverwrites", "isreadonlymode"].includes(
    foldKey(key),
  );
}

function argumentEntries(args: SourcesAsked["args"]): Entry[] {
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
