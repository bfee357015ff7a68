import type { Action } from "@sealhouse/administration";
import fc from "fast-check";

/** A part of a JSON Schema. */
export type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
};

/** A request of an operation. */
export type GeneratedCall = {
  readonly path: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly isDryRun: boolean;
  readonly hasKey: boolean;
};

const TEXT_MAX = 300;
/** Texts on which parsers and statements fail. */
const ODD_TEXTS = [
  "",
  " ",
  "a",
  "../../etc/passwd",
  "'; drop table x; --",
  "\u0000",
  "\ud800",
  "𝕏 и ß",
  "%",
  "*",
  "**",
  "@acme/*",
  "npm:left-pad",
  "https://example.invalid/",
  "2099-01-01",
  "90d",
  "never",
  "admin",
  "toString",
  "__proto__",
];

/**
 * Generates requests of an action from the schema of its input: mostly fields that fit, sometimes
 * any JSON. `known` are ids and names of earlier answers, which lead deeper than made-up ones.
 */
export function callsOf(
  { hasDryRun }: Pick<Action, "hasDryRun">,
  input: Schema,
  pathNames: readonly string[],
  known: () => readonly string[],
): fc.Arbitrary<GeneratedCall> {
  const properties = Object.entries(input.properties ?? {});
  const inPath = properties.filter(([name]) => pathNames.includes(name));
  const inBody = properties.filter(([name]) => !pathNames.includes(name));
  const requiredKeys = inBody
    .map(([name]) => name)
    .filter((name) => input.required?.includes(name));
  const knownText = fc.nat().map((at) => known()[at % Math.max(1, known().length)] ?? "none");
  const record = (fields: readonly (readonly [string, Schema])[]) =>
    Object.fromEntries(fields.map(([name, schema]) => [name, valueOf(schema, knownText)]));
  return fc.record({
    path: fc.record(record(inPath)),
    input: fc.oneof(
      { weight: 9, arbitrary: fc.record(record(inBody), { requiredKeys }) },
      { weight: 1, arbitrary: fc.record(record(inBody), { requiredKeys: [] }) },
      { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue()) },
    ),
    isDryRun: hasDryRun ? fc.boolean() : fc.constant(false),
    hasKey: fc.boolean(),
  });
}

function valueOf(schema: Schema, knownText: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const examples = schema.examples ?? [];
  return fc.oneof(
    { weight: 12, arbitrary: fittingOf(schema, knownText) },
    { weight: examples.length > 0 ? 6 : 0, arbitrary: fc.constantFrom(...examples, "none") },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
}

function fittingOf(schema: Schema, knownText: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fittingOf(one, knownText)));
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 50, 1_000) });
    case "array":
      return fc.array(fittingOf(schema.items ?? {}, knownText), {
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case "object": {
      const { properties = {}, required = [] } = schema;
      const fields = Object.entries(properties).map(
        ([name, one]) => [name, fittingOf(one, knownText)] as const,
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
    }
    default:
      return fc.oneof(
        knownText,
        fc.constantFrom(...ODD_TEXTS),
        fc.string({ unit: "grapheme", maxLength: Math.min(schema.maxLength ?? 40, 40) }),
        fc.string({ maxLength: Math.min(schema.maxLength ?? TEXT_MAX, TEXT_MAX) + 1 }),
      );
  }
}
