import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Extension } from "../extension.ts";
import { ConfigError, SHIPPED } from "./load.ts";
import { howToInstall } from "@sealhouse/settings";
import { EXTENSIBLE_KEYS, VALUES_OF_PACKAGES } from "./package-values.ts";
import type { ExtensibleKey, ValuesOfPackages } from "./package-values.ts";
import { openSettings, readEntries } from "./settings.ts";
import type { Settings } from "./settings.ts";
import type { SettingArgument } from "@sealhouse/settings";

export type ExtensionSelection = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: readonly SettingArgument[];
  readonly workingFolder: string;
};

/**
 * Loads the modules in `Host__Extensions`, and the packages of the signing mode and of the storage
 * type when they are installed next to the host or in the working folder. The check of the setting
 * reports a missing package. Modules of the operator come first and have precedence.
 *
 * @throws ConfigError when a named module cannot be loaded or exports no extension
 */
export async function loadExtensions(
  selection: ExtensionSelection,
  packages: ValuesOfPackages = VALUES_OF_PACKAGES,
): Promise<readonly Extension[]> {
  const { env, args, workingFolder } = selection;
  const { entries } = readEntries({
    env,
    args,
    folders: [...new Set([SHIPPED, resolve(workingFolder)])],
    readFile: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  });
  return extensionsOf(openSettings(entries, env), selection, packages);
}

/** Loads the extensions that the settings select, as `loadExtensions` does. */
export async function extensionsOf(
  settings: Settings,
  { workingFolder }: Pick<ExtensionSelection, "workingFolder">,
  packages: ValuesOfPackages = VALUES_OF_PACKAGES,
): Promise<readonly Extension[]> {
  const extensions: Extension[] = [];
  for (const [index, name] of settings.get("Host__Extensions").entries()) {
    extensions.push(
      await namedExtension(name, { key: `Host__Extensions__${index}`, workingFolder }),
    );
  }
  for (const key of EXTENSIBLE_KEYS) {
    const value = settings.textOf(key)?.trim().toLowerCase() ?? "";
    const name = packageOf(packages[key], value);
    if (name === undefined || extensions.some((extension) => hasValue(extension, key, value)))
      continue;
    const location = locate(name, workingFolder);
    if (location !== undefined) extensions.push(await extensionIn(location, { key, name }));
  }
  return extensions;
}

function hasValue(
  { signingModes = {}, storageTypes = {} }: Extension,
  key: ExtensibleKey,
  value: string,
): boolean {
  const values = Object.keys(key === "Signing__Mode" ? signingModes : storageTypes);
  return values.some((name) => name.toLowerCase() === value);
}

function packageOf(packages: Readonly<Record<string, string>>, value: string): string | undefined {
  return Object.entries(packages).find(([name]) => name.toLowerCase() === value)?.[1];
}

/**
 * Extensions of our signing modes and storage types, for the settings reference. The packages must
 * be installed, which is so in this repository.
 */
export async function ownExtensions(): Promise<readonly Extension[]> {
  const names = EXTENSIBLE_KEYS.flatMap((key) => Object.values(VALUES_OF_PACKAGES[key]));
  return Promise.all(
    [...new Set(names)].map((name) =>
      namedExtension(name, { key: "Host__Extensions", workingFolder: "." }),
    ),
  );
}

async function namedExtension(
  name: string,
  { key, workingFolder }: { readonly key: string; readonly workingFolder: string },
): Promise<Extension> {
  const isPath = name.startsWith(".") || isAbsolute(name);
  const location = isPath
    ? pathToFileURL(resolve(workingFolder, name)).href
    : locate(name, workingFolder);
  if (location !== undefined) return extensionIn(location, { key, name });
  throw new ConfigError([
    `${key}: the package ${name} is not installed in ${resolve(workingFolder)}, nor next to the ` +
      `host: ${howToInstall(name)}`,
  ]);
}

/** Looks next to the host first, then in the working folder. */
function locate(packageName: string, workingFolder: string): string | undefined {
  for (const from of [import.meta.url, join(resolve(workingFolder), "package.json")]) {
    try {
      return pathToFileURL(createRequire(from).resolve(packageName)).href;
    } catch {
      // Not there; the next place may have it.
    }
  }
  return undefined;
}

async function extensionIn(
  location: string,
  { key, name }: { readonly key: string; readonly name: string },
): Promise<Extension> {
  let module: { readonly extension?: unknown };
  try {
    module = (await import(location)) as { readonly extension?: unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${key}: ${name} cannot be loaded: ${why}`]);
  }
  if (isExtension(module.extension)) return module.extension;
  throw new ConfigError([
    `${key}: ${name} exports no "extension": an object with a name, and with signingModes or ` +
      "storageTypes",
  ]);
}

function isExtension(value: unknown): value is Extension {
  if (typeof value !== "object" || value === null || !("name" in value)) return false;
  const brings = (part: unknown) => typeof part === "object" && part !== null;
  return (
    typeof value.name === "string" &&
    (("signingModes" in value && brings(value.signingModes)) ||
      ("storageTypes" in value && brings(value.storageTypes)))
  );
}
