import type { FieldKind, Kind, ValueOf } from "./kinds.ts";
import type { Setting } from "./setting.ts";

/** Settings that an extension may have. */
export type ExtensionTable = Readonly<
  Record<string, Setting & { readonly kind: FieldKind | { readonly type: "named" } }>
>;

/** The type of a value that was checked. Undefined without a default that is a fixed text, unless
 * the setting is always required. */
export type CheckedValue<One extends Setting> =
  | ValueOf<One["kind"]>
  | (One extends { readonly fallback: string } | { readonly required: true }
      ? never
      : One["kind"] extends { readonly type: "list" | "named" }
        ? never
        : undefined);

/** Checked values of an extension's settings, by the keys of its table. */
export type CheckedValues<Table extends ExtensionTable> = {
  get<Key extends keyof Table & string>(key: Key): CheckedValue<Table[Key]>;
};

/**
 * Types the checked texts that an extension gets when it is opened: numbers, booleans, milliseconds
 * of a time span, lists.
 *
 * @throws {TypeError} when an always required value is missing, so the texts were not checked
 */
export function typedValues<Table extends ExtensionTable>(
  table: Table,
  values: Readonly<Record<string, string>>,
): CheckedValues<Table> {
  return {
    get: <Key extends keyof Table & string>(key: Key) => {
      const setting: Setting | undefined = table[key];
      const value = setting && valueIn(setting.kind, key, values);
      if (value === undefined && setting?.required === true) {
        throw new TypeError(`${key} is required and has no checked value`);
      }
      return value as CheckedValue<Table[Key]>;
    },
  };
}

function valueIn(kind: Kind, key: string, values: Readonly<Record<string, string>>): unknown {
  const prefix = `${key}__`;
  const below = () => Object.entries(values).filter(([name]) => name.startsWith(prefix));
  switch (kind.type) {
    case "list":
      return below()
        .toSorted(([left], [other]) => indexIn(left, prefix) - indexIn(other, prefix))
        .map(([, text]) => text);
    case "named":
      return Object.fromEntries(below().map(([name, text]) => [name.slice(prefix.length), text]));
    case "boolean":
      return values[key] === undefined ? undefined : values[key] === "true";
    case "integer":
    case "time-span":
      return values[key] === undefined ? undefined : Number(values[key]);
    default:
      return values[key];
  }
}

function indexIn(name: string, prefix: string): number {
  return Number(name.slice(prefix.length));
}
