import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseStorage } from "@sealhouse/storage-providers/settings";
import type { StorageConfig } from "@sealhouse/storage-providers/settings";
import type { Extension } from "../extension.ts";
import { extensionsOf } from "./extensions.ts";
import { ConfigError } from "./load.ts";
import { openSettings, readEntries } from "./settings.ts";
import { unknownKeysOf } from "./unknown-keys.ts";

/** Where the settings of a store are read from. */
export type StoreContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Folder of the default path of file-backed storage. */
  readonly dataPath: string;
  readonly extensions: readonly Extension[];
};

/** A store with its settings. */
export type NamedStore = {
  readonly config: StorageConfig;
  readonly extensions: readonly Extension[];
  /** Unknown settings. */
  readonly warnings: readonly string[];
};

const FORM = /^(folder|settings|env):(.+)$/s;

/**
 * Parses the name of a store: `folder:PATH`, `settings:FILE` or `env:PREFIX`.
 *
 * @throws ConfigError when the form or a setting of the store is invalid
 */
export async function parseStore(name: string, context: StoreContext): Promise<NamedStore> {
  const [, form, rest = ""] = FORM.exec(name) ?? [];
  if (form === undefined) throw new ConfigError([`"${name}" is not a store; ${FORMS}`]);
  if (form === "folder") {
    const path = resolve(context.workingFolder, rest);
    return {
      config: { type: "FileSystem", path, redirectsDownloads: false },
      extensions: [],
      warnings: [],
    };
  }
  return form === "settings"
    ? parseSources(fileSource(rest, context), context)
    : parseSources({ env: withoutPrefix(rest, context.env) }, context);
}

const FORMS = "allowed: folder:/srv/packages, settings:blobs.json, env:NEW_";

/** Settings of one store; the host's own are not among them. */
type StoreSource = {
  readonly env: StoreContext["env"];
  /** Text of the settings file, with its path. */
  readonly file?: { readonly path: string; readonly text: string };
};

function fileSource(name: string, { workingFolder }: StoreContext): StoreSource {
  const path = resolve(workingFolder, name);
  if (!existsSync(path)) throw new ConfigError([`${path}: there is no such file`]);
  return { env: {}, file: { path, text: readFileSync(path, "utf8") } };
}

function withoutPrefix(prefix: string, env: StoreContext["env"]): StoreContext["env"] {
  return Object.fromEntries(
    Object.entries(env)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, text]) => [name.slice(prefix.length), text]),
  );
}

async function parseSources(
  { env, file }: StoreSource,
  context: StoreContext,
): Promise<NamedStore> {
  const { workingFolder, dataPath } = context;
  const read = (own: readonly Extension[]) =>
    readEntries({
      env,
      args: [],
      folders: file ? [FOLDER] : [],
      readFile: (path) => (path === join(FOLDER, "appsettings.json") ? file?.text : undefined),
      extensions: own,
    });
  // Secrets may be in environment variables that a setting names.
  const named = { ...context.env, ...env };
  const before = openSettings(read([]).entries, named);
  const extensions = [...context.extensions, ...(await extensionsOf(before, { workingFolder }))];
  const { entries, problems } = read(extensions);
  const settings = openSettings(entries, named);
  if (!settings.textOf("Storage__Type")) settings.problem("Storage__Type", "is required");
  const config = parseStorage(settings, dataPath, extensions);
  const all = [...problems, ...settings.problems];
  if (all.length > 0) throw new ConfigError(file ? all.map((line) => inFile(line, file)) : all);
  return { config, extensions, warnings: unknownKeysOf(entries, extensions) };
}

/** A name in place of the folder of the settings file. */
const FOLDER = "settings-of-store";

function inFile(problem: string, { path }: { readonly path: string }): string {
  return problem.replaceAll(join(FOLDER, "appsettings.json"), path);
}
