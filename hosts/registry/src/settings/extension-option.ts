import type { Setting } from "./table.ts";
import type { Settings } from "./settings.ts";

/** A value that an installed extension brings, with the texts of its settings by full key. */
export type ExtensionChoice = {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
};

/** Undefined when no extension knows the value of `key`. */
export function optionOf(
  settings: Settings,
  key: string,
  brought: readonly Readonly<Record<string, { settings: Readonly<Record<string, Setting>> }>>[],
): ExtensionChoice | undefined {
  const asked = settings.textOf(key)?.trim().toLowerCase();
  for (const [name, option] of brought.flatMap((one) => Object.entries(one))) {
    if (name.toLowerCase() !== asked) continue;
    const values = Object.entries(option.settings).flatMap(([own, { fallback }]) => {
      const text = settings.textOf(own) ?? fallback;
      return text === undefined ? [] : [[own, text] as const];
    });
    return { name, values: Object.fromEntries(values) };
  }
  return undefined;
}
