import { createSettings, howToInstall, readSources, typedSettings } from "@sealhouse/settings";
import type {
  Entries,
  SettingArgument,
  SettingValue as AnyValue,
  TypedSettings,
} from "@sealhouse/settings";
import type { Extension } from "../extension.ts";
import { VALUES_OF_PACKAGES } from "./package-values.ts";
import { OLDER_ROOT_KEYS, VALUES_REFUSED } from "./older-host.ts";
import { SETTINGS, settingsTable } from "./table.ts";
import type { SettingKey } from "./table.ts";

/** The settings of the host, typed by its table. */
export type Settings = TypedSettings<typeof SETTINGS>;

export type SettingValue<Key extends SettingKey> = AnyValue<(typeof SETTINGS)[Key]>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads all sources of the host's settings; later sources win. `extensions` add settings. */
export function readEntries(options: {
  readonly env: Environment;
  readonly args: readonly SettingArgument[];
  readonly folders: readonly string[];
  readonly readFile: (path: string) => string | undefined;
  readonly extensions?: readonly Extension[];
}): ReturnType<typeof readSources> {
  const { extensions = [], ...sources } = options;
  const table = Object.fromEntries(settingsTable(extensions));
  return readSources({
    ...sources,
    table,
    environmentKey: "ASPNETCORE_ENVIRONMENT",
    rootKeys: OLDER_ROOT_KEYS,
  });
}

export function openSettings(entries: Entries, env: Environment = {}): Settings {
  const unavailable = { refused: VALUES_REFUSED, packages: VALUES_OF_PACKAGES, howToInstall };
  return typedSettings(createSettings(entries, { table: SETTINGS, env, unavailable }), SETTINGS);
}
