import { foldKey } from "@sealhouse/settings";
import type { SettingArgument } from "@sealhouse/settings";
import { OLDER_ROOT_KEYS } from "../settings/older-host.ts";
import { SETTINGS } from "../settings/table.ts";

/** Settings on the command line, apart from the words and options of the command. */
export type SplitArguments = {
  readonly settings: readonly SettingArgument[];
  readonly rest: readonly string[];
  /** Settings without a value. */
  readonly problems: readonly string[];
};

const ALONE = new Set([
  ...Object.entries(SETTINGS).flatMap(([key, setting]) =>
    [key, ...("aliases" in setting ? setting.aliases : [])]
      .filter((name) => !name.includes("__"))
      .map(foldKey),
  ),
  ...OLDER_ROOT_KEYS.map(foldKey),
]);

/** `--Section:Key=value` and `--Section:Key value` (or `__` for `:`) are settings. */
export function splitArguments(args: readonly string[]): SplitArguments {
  const settings: SettingArgument[] = [];
  const rest: string[] = [];
  const problems: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? "";
    const [, key, text] = /^--([A-Za-z][\w:-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (key === undefined || !isSetting(key)) {
      rest.push(word);
      continue;
    }
    const value = text ?? args[index + 1];
    if (text === undefined) index += 1;
    if (value === undefined || (text === undefined && value.startsWith("--"))) {
      problems.push(`${key}: has no value on the command line; write --${key}=value`);
    } else settings.push({ key, text: value });
  }
  return { settings, rest, problems };
}

function isSetting(key: string): boolean {
  return /:|__/.test(key) || ALONE.has(foldKey(key));
}
