import type { JsonSchema } from "./json-schema.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

const text: JsonSchema = { type: "string" };

/** Schemas that the details of events are composed of. */
export const KINDS = {
  text,
  texts: { type: "array", items: text } satisfies JsonSchema as JsonSchema,
  time: { type: "string", format: "date-time" } satisfies JsonSchema as JsonSchema,
  count: { type: "integer" } satisfies JsonSchema as JsonSchema,
  flag: { type: "boolean" } satisfies JsonSchema as JsonSchema,
  yes: { const: true } satisfies JsonSchema as JsonSchema,
  sha256: { type: "string", pattern: "^[0-9a-f]{64}$" } satisfies JsonSchema as JsonSchema,
  /** An object with these required and optional properties, and no others. */
  object: (required: Properties, optional: Properties = {}): JsonSchema => ({
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }),
  oneOf: (...anyOf: readonly JsonSchema[]): JsonSchema => ({ anyOf }),
} as const;
