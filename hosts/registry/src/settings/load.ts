import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Extension } from "../extension.ts";
import type {
  ExtensionOptions as ConfigOptions,
  Entries,
  SettingArgument,
} from "@sealhouse/settings";
import { publicUrlWarnings } from "@sealhouse/http-server/settings";
import { checkCertificate } from "./certificate.ts";
import { parseConfig } from "./config.ts";
import type { Config } from "./config.ts";
import { openSettings, readEntries } from "./settings.ts";
import { unknownKeysOf } from "./unknown-keys.ts";

/** The parsed settings with their warnings and sources. */
export type LoadedConfig = {
  readonly config: Config;
  /** Unknown keys, and settings that Production requires; for the log. */
  readonly warnings: readonly string[];
  readonly entries: Entries;
};

/** Sources of the settings. */
export type LoadOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly SettingArgument[];
  /** Folder of the second `appsettings.json`, in addition to the shipped file. */
  readonly workingFolder: string;
  readonly extensions?: readonly Extension[];
} & ConfigOptions;

/** The package's own folder: its settings files hold the shipped defaults. */
export const SHIPPED = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Reads and checks everything; throws one `ConfigError` that names every problem. */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const extensions = options.extensions ?? [];
  const { entries, problems } = readEntries({
    env: options.env,
    args: options.args ?? [],
    folders: [...new Set([SHIPPED, resolve(options.workingFolder)])],
    readFile: readIfThere,
    extensions,
  });
  const settings = openSettings(entries, options.env);
  const config = parseConfig(settings, extensions, options);
  checkCertificate(settings, config.host.certificate);
  const all = [...problems, ...settings.problems];
  const warnings = [
    ...unknownKeysOf(entries, extensions),
    ...publicUrlWarnings(config),
    ...config.mirror.warnings,
    ...(config.signIn?.warnings ?? []),
  ];
  if (all.length > 0) throw new ConfigError(all, warnings);
  return { config, warnings, entries };
}

/** The host does not start; the process ends with `EXIT_CONFIG`. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "config-invalid";
  readonly problems: readonly string[];
  readonly warnings: readonly string[];

  constructor(problems: readonly string[], warnings: readonly string[] = []) {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    super(
      `Invalid configuration (${count}):\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
    this.problems = problems;
    this.warnings = warnings;
  }
}

/** `EX_CONFIG` of sysexits.h. */
export const EXIT_CONFIG = 78;

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new ConfigError([`${path}: cannot be read: ${String(error)}`]);
  }
}
