import type { JsonSchema } from "./json-schema.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

const text: JsonSchema = { type: "string" };
const sha256: JsonSchema = { type: "string", pattern: "^[0-9a-f]{64}$" };

/** An object with these required and optional properties, and no others. */
function object(required: Properties, optional: Properties = {}): JsonSchema {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/** Schemas that the details of events are composed of. */
export const KINDS = {
  text,
  texts: { type: "array", items: text } satisfies JsonSchema as JsonSchema,
  time: { type: "string", format: "date-time" } satisfies JsonSchema as JsonSchema,
  count: { type: "integer" } satisfies JsonSchema as JsonSchema,
  flag: { type: "boolean" } satisfies JsonSchema as JsonSchema,
  yes: { const: true } satisfies JsonSchema as JsonSchema,
  sha256,
  /** Base64 SHA-512. */
  sha512: { type: "string", pattern: "^[A-Za-z0-9+/]{86}==$" } satisfies JsonSchema as JsonSchema,
  /** A digest of a set that may have people in it: see `saltedDigest`. */
  salted: object({ salt: sha256, sha256 }),
  object,
  oneOf: (...anyOf: readonly JsonSchema[]): JsonSchema => ({ anyOf }),
} as const;
