import { describeKind, parseScalar } from "./kinds.ts";
import type { Kind, ScalarKind } from "./kinds.ts";
import type { Setting } from "./setting.ts";
import type { Settings } from "./settings.ts";

/** A chosen value that an extension adds, with the texts of its settings. */
export type ExtensionChoice = {
  readonly name: string;
  /** Checked texts by full key; entries of a list by `Key__0`, `Key__1`, …, named texts by
   * `Key__name`. `typedValues` gives their types back. */
  readonly values: Readonly<Record<string, string>>;
};

/** Options of `optionOf`. */
export type ExtensionOptions = {
  /** Whether settings with `required: { unless }` may be missing. True while a key is opened to
   * request its certificate. */
  readonly keyOnly?: boolean;
};

/** Reads the settings of the extension that adds the value of `key`; undefined = none does. */
export function optionOf(
  settings: Settings,
  key: string,
  brought: readonly Readonly<Record<string, { settings: Readonly<Record<string, Setting>> }>>[],
  { keyOnly = false }: ExtensionOptions = {},
): ExtensionChoice | undefined {
  const chosenName = settings.textOf(key)?.trim().toLowerCase();
  for (const [name, option] of brought.flatMap((options) => Object.entries(options))) {
    if (name.toLowerCase() !== chosenName) continue;
    const values = Object.entries(option.settings).flatMap(([own, setting]) => {
      const { required, ...optional } = setting;
      const isLater = keyOnly && typeof required === "object";
      return valuesOf(settings, own, isLater ? optional : setting);
    });
    return { name, values: Object.fromEntries(values) };
  }
  return undefined;
}

/** Texts by full key; none for a setting without a value. An empty text means "not set". */
function valuesOf(
  settings: Settings,
  key: string,
  setting: Setting,
): readonly (readonly [string, string])[] {
  const { kind, fallback } = setting;
  const several = severalOf(settings, key, setting);
  const text = several === undefined ? settings.textOf(key) || fallback : undefined;
  if (text === undefined && !several?.length) {
    refuseMissing(settings, key, setting);
    return [];
  }
  if (several !== undefined || text === undefined) return several ?? [];
  const value = isScalar(kind) ? parseScalar(kind, text) : text;
  if (value !== undefined) return [[key, String(value)]];
  const shown = setting.secret ? "the value" : `"${text}"`;
  settings.problem(key, `${shown} is not allowed; allowed: ${describeKind(kind)}`);
  return [];
}

/** Undefined for kinds with one text. */
function severalOf(
  settings: Settings,
  key: string,
  { secret, about, kind }: Setting,
): readonly (readonly [string, string])[] | undefined {
  const shown = { about, ...(secret && { secret }) };
  if (kind.type === "list") {
    const values = settings.of({ [key]: { ...shown, kind } }).get(key);
    return values.map((text, index) => [`${key}__${index}`, text]);
  }
  if (kind.type !== "named") return undefined;
  const texts = settings.of({ [key]: { ...shown, kind } }).get(key);
  return Object.entries(texts).map(([name, text]) => [`${key}__${name}`, text]);
}

function refuseMissing(settings: Settings, key: string, { kind, required }: Setting): void {
  const other = typeof required === "object" ? required.unless : undefined;
  if (!required || (other !== undefined && settings.textOf(other))) return;
  const instead = other === undefined ? "" : `, or ${other}`;
  settings.problem(key, `is required${instead}; allowed: ${describeKind(kind)}`);
}

function isScalar(kind: Kind): kind is ScalarKind {
  return !["list", "named", "sections", "named-sections"].includes(kind.type);
}
