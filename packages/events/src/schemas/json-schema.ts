/** The part of JSON Schema 2020-12 that the schemas of events use. */
export type JsonSchema = {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string | boolean;
  readonly pattern?: string;
  readonly format?: "date-time";
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
};

/** Returns what is wrong with a value, as places and reasons; empty when it is valid. */
export function schemaProblems(
  schema: JsonSchema,
  value: unknown,
  place = "detail",
): readonly string[] {
  if (schema.anyOf) {
    const all = schema.anyOf.map((one) => schemaProblems(one, value, place));
    return all.some((problems) => problems.length === 0) ? [] : (all[0] ?? []);
  }
  const { type } = schema;
  if (type !== undefined && !isOfType(value, type)) return [`${place} is not of type ${type}`];
  if (schema.const !== undefined && schema.const !== value) return [`${place} is another constant`];
  if (typeof value === "string") return textProblems(schema, value, place);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return [];
    return value.flatMap((item, index) => schemaProblems(items, item, `${place}[${index}]`));
  }
  if (typeof value === "object" && value !== null) return objectProblems(schema, value, place);
  return [];
}

function textProblems(schema: JsonSchema, text: string, place: string): readonly string[] {
  const isBad =
    (schema.enum !== undefined && !schema.enum.includes(text)) ||
    (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(text)) ||
    (schema.format === "date-time" && Number.isNaN(Date.parse(text)));
  return isBad ? [`${place} has another text: ${text}`] : [];
}

function objectProblems(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  value: object,
  place: string,
): readonly string[] {
  const entries = Object.entries(value);
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${place}.${name} is missing`);
  const inner = entries.flatMap(([name, item]) => {
    const schema = properties[name];
    if (schema) return schemaProblems(schema, item, `${place}.${name}`);
    return additionalProperties === false ? [`${place}.${name} is unknown`] : [];
  });
  return [...missing, ...inner];
}

function isOfType(value: unknown, type: NonNullable<JsonSchema["type"]>): boolean {
  switch (type) {
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
  }
}
