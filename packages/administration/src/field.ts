import { z } from "zod";

/** A field of an action's input, for people: in forms, options of commands and the API's page. */
export type FieldTexts = {
  /** The name of the field in a form. */
  readonly label: string;
  /** One sentence: what the field does, with an example. */
  readonly help: string;
  /**
   * The option of the command, as `--name <pattern>`. Absent: made of the name of the field. False:
   * the command has none.
   */
  readonly option?: string | false;
  /**
   * Accepted, and never shown or returned. Commands read it from an environment variable; of pairs,
   * each value.
   */
  readonly isSecret?: true;
  /** A path on the machine of the registry; a command resolves it in its working folder. */
  readonly isPath?: true;
  /** Several lines. */
  readonly isLong?: true;
  readonly example?: unknown;
  /** Legend of the part of a form that has the field. Absent: the first part. */
  readonly group?: string;
  /** Few need it: a form hides it in a closed part. */
  readonly isExpert?: true;
  /** A form offers a calendar. */
  readonly isDate?: true;
  /** Texts of the values of a choice. Of a text: the values that it may have, with commas. */
  readonly values?: Readonly<Record<string, string>>;
};

/** The texts of all fields. */
export const fieldTexts = z.registry<FieldTexts>();

/** Names a field. Returns the schema itself: call it last, a derived schema has no texts. */
export function field<Schema extends z.ZodType>(
  schema: Schema,
  label: string,
  help: string,
  more: Omit<FieldTexts, "label" | "help"> = {},
): Schema {
  fieldTexts.add(schema, { label, help, ...more });
  return schema;
}

/** The form of a field as text: in a form, a query or an option of a command. */
export type FieldKind =
  | { readonly kind: "text" | "number" | "flag" | "list" }
  /** Values by name; each text is `NAME=VALUE`. */
  | { readonly kind: "pairs" }
  | { readonly kind: "choice"; readonly choices: readonly string[] };

/** A field of an input. */
export type Field = FieldTexts &
  FieldKind & {
    readonly name: string;
    readonly isRequired: boolean;
    /** The value of an absent field. */
    readonly fallback?: unknown;
  };

/** Returns the fields of an input, in their order. */
export function fieldsOf(input: z.ZodObject): readonly Field[] {
  return Object.entries(input.shape).map(([name, schema]) => {
    const texts = fieldTexts.get(schema) ?? { label: name, help: "" };
    const { inner, fallback } = unwrapped(schema);
    const isRequired = !schema.safeParse(undefined).success;
    return { name, ...texts, ...kindOf(inner), isRequired, fallback };
  });
}

function unwrapped(schema: z.core.$ZodType): {
  readonly inner: z.core.$ZodType;
  readonly fallback?: unknown;
} {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap());
  if (!(schema instanceof z.ZodDefault)) return { inner: schema };
  return { ...unwrapped(schema.unwrap()), fallback: schema.def.defaultValue };
}

function kindOf(schema: z.core.$ZodType): FieldKind {
  if (schema instanceof z.ZodEnum) return { kind: "choice", choices: schema.options.map(String) };
  if (schema instanceof z.ZodBoolean) return { kind: "flag" };
  if (schema instanceof z.ZodLiteral) return { kind: "flag" };
  if (schema instanceof z.ZodNumber) return { kind: "number" };
  if (schema instanceof z.ZodRecord) return { kind: "pairs" };
  return { kind: schema instanceof z.ZodArray ? "list" : "text" };
}

/** Texts by field, as a query, a form or a command has them. */
export type FieldValues = Readonly<Record<string, string | readonly string[] | true | undefined>>;

/**
 * Returns the input that texts represent, for its schema to check. An empty text is an absent
 * field, a text that is not of its kind stays a text.
 */
export function inputOfTexts(input: z.ZodObject, texts: FieldValues): Record<string, unknown> {
  const known = fieldsOf(input);
  const unknown = Object.entries(texts).filter(([name]) => !known.some((one) => one.name === name));
  const values = known.flatMap((one) => {
    const text = texts[one.name];
    const value = text === undefined || text === "" ? undefined : valueOf(one, text);
    return value === undefined ? [] : [[one.name, value] as const];
  });
  return Object.fromEntries([...values, ...unknown]);
}

function valueOf(of: FieldKind, text: string | readonly string[] | true): unknown {
  const { kind } = of;
  if (kind === "list") return typeof text === "string" ? [text] : text;
  if (kind === "pairs") return pairsIn(text);
  if (typeof text !== "string") return text;
  if (of.kind === "choice") {
    return of.choices.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text;
  }
  if (kind === "number") return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
  if (kind !== "flag") return text;
  return text === "true" || text === "on" ? true : text === "false" ? false : text;
}

/** The values by name; a text that is not a pair stays a text. */
function pairsIn(text: string | readonly string[] | true): unknown {
  const texts = typeof text === "string" ? [text] : text === true ? [] : text;
  const pairs = texts.map((one) => /^([^=]+)=(.*)$/s.exec(one));
  if (pairs.some((pair) => pair === null)) return text;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]));
}
