import { describeKind, parseScalar } from "./kinds.ts";
import type { Kind, ScalarKind } from "./kinds.ts";
import type { Setting } from "./setting.ts";
import type { Settings } from "./settings.ts";

/** A chosen value that an extension adds, with the texts of its settings by full key. */
export type ExtensionChoice = {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
};

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
  const wanted = settings.textOf(key)?.trim().toLowerCase();
  for (const [name, option] of brought.flatMap((one) => Object.entries(one))) {
    if (name.toLowerCase() !== wanted) continue;
    const values = Object.entries(option.settings).flatMap(([own, setting]) => {
      const { required, ...optional } = setting;
      const isLater = keyOnly && typeof required === "object";
      const value = valueOf(settings, own, isLater ? optional : setting);
      return value === undefined ? [] : [[own, value] as const];
    });
    return { name, values: Object.fromEntries(values) };
  }
  return undefined;
}

/** An empty text means "not set". */
function valueOf(settings: Settings, key: string, setting: Setting): string | undefined {
  const { kind, fallback, required } = setting;
  const text = settings.textOf(key) || fallback;
  if (text === undefined) {
    const other = typeof required === "object" ? required.unless : undefined;
    if (!required || (other !== undefined && settings.textOf(other))) return undefined;
    const instead = other === undefined ? "" : `, or ${other}`;
    settings.problem(key, `is required${instead}; allowed: ${describeKind(kind)}`);
    return undefined;
  }
  const value = isScalar(kind) ? parseScalar(kind, text) : text;
  if (value !== undefined) return String(value);
  const shown = setting.secret ? "the value" : `"${text}"`;
  settings.problem(key, `${shown} is not allowed; allowed: ${describeKind(kind)}`);
  return undefined;
}

function isScalar(kind: Kind): kind is ScalarKind {
  return kind.type !== "list" && kind.type !== "named" && kind.type !== "sections";
}
