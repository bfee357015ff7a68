import { z } from "zod";
import type { Action } from "../action.ts";
import { isJob, pathFields } from "../action.ts";
import { fieldTexts } from "../field.ts";
import { ADMINISTRATIVE_SCOPES } from "@sealhouse/identity";
import { REFUSALS } from "../refusal.ts";
import type { RefusalReason } from "../refusal.ts";
import { PROBLEM_TYPE, problemType } from "./problem.ts";

/** A JSON Schema or a part of an OpenAPI document. */
type Json = Record<string, unknown>;

/** Refusals that every operation can have. */
const COMMON: readonly RefusalReason[] = ["anonymous", "denied", "limited", "unavailable"];
const OF_BODIES: readonly RefusalReason[] = ["malformed", "too-large", "not-json", "invalid"];

/** Describes the API in OpenAPI 3.1.1. `server`: the URL of the API. */
export function openApiDocument(
  actions: readonly Action[],
  { version, server }: { readonly version: string; readonly server: string },
): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const action of actions) {
    const item = (paths[action.path] ??= {});
    item[action.method.toLowerCase()] = operationOf(action, schemas);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Administration of a Sealhouse registry",
      version,
      description: "Each operation is also a command; most have a page.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: [...new Set(actions.map(groupOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: SCOPES_TEXT } },
      schemas: { ...schemas, Problem: PROBLEM },
    },
  };
}

const SCOPES_TEXT =
  `A token with the scope admin, or with that of the operation: ` +
  `${ADMINISTRATIVE_SCOPES.join(", ")}.`;

function operationOf(action: Action, schemas: Json): Json {
  const { id, summary, scope, method, input, output } = action;
  const schema: ObjectSchema = schemaOf(input, "input", schemas);
  const parameters = parametersOf(action, schema);
  const body = bodyOf(action, schema);
  return {
    operationId: id,
    tags: [groupOf(action)],
    summary,
    description: `Scope: ${scope}. Command: ${wordsOf(action)}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      ...answersOf(action, schemaOf(output, "output", schemas)),
      ...(method === "GET" && { "304": { description: "Not changed since If-None-Match." } }),
      ...refusalsOf(reasonsOf(action)),
    },
  };
}

/** Reads and removals have their fields in the query. */
function isInQuery({ method }: Action): boolean {
  return method === "GET" || method === "DELETE";
}

function parametersOf(action: Action, { properties = {}, required = [] }: ObjectSchema) {
  const inPath = pathFields(action);
  const inQuery = Object.keys(properties).filter(
    (name) => isInQuery(action) && !inPath.includes(name),
  );
  return [
    ...inPath.map((name) => parameter("path", name, properties[name], true)),
    ...inQuery.map((name) => parameter("query", name, properties[name], required.includes(name))),
    ...(action.hasDryRun ? [action.dryRunDefault ? DRY_RUN_OF_SETTINGS : DRY_RUN] : []),
    ...(action.changes === undefined ? [] : [IF_MATCH]),
    ...(action.method === "POST" ? [IDEMPOTENCY_KEY] : []),
  ];
}

function reasonsOf(action: Action): readonly RefusalReason[] {
  const { changes, method, refusals } = action;
  const all: readonly RefusalReason[] = [
    ...COMMON,
    ...(isInQuery(action) ? (["invalid", "malformed"] as const) : OF_BODIES),
    ...refusals,
    ...(changes === undefined ? [] : (["stale", "no-precondition", "absent", "busy"] as const)),
    ...(method === "POST" ? (["key-reused", "conflict"] as const) : []),
  ];
  return [...new Set(all)];
}

function answersOf(action: Action, schema: Json): Json {
  const { method, changes, isLong, hasDryRun } = action;
  const answer = (description: string, of: Json) => ({
    description,
    content: { "application/json": { schema: of } },
  });
  const isCreated = method === "POST" && changes === undefined;
  const planned = { "200": answer("What it would do.", schema) };
  if (isLong) {
    const hasAnswer = hasDryRun && !isJob(action, true);
    return { "202": answer("A job began: see /jobs/{job}.", JOB), ...(hasAnswer && planned) };
  }
  if (!isCreated) return { "200": answer("Done.", schema) };
  return { "201": answer("Done.", schema), ...(hasDryRun && planned) };
}

const JOB: Json = {
  type: "object",
  properties: { job: { type: "string", format: "uuid" } },
  required: ["job"],
  additionalProperties: false,
};

type ObjectSchema = { readonly properties?: Json; readonly required?: readonly string[] };

function groupOf({ id }: Action): string {
  return id.split(".")[0] ?? id;
}

function wordsOf({ command }: Action): string {
  const words = typeof command === "string" ? [command] : command.map((form) => form.words);
  return words.map((text) => `sealhouse ${text}`).join(", ");
}

function parameter(place: "path" | "query", name: string, schema: unknown, isRequired: boolean) {
  const { description, ...rest } = (schema ?? { type: "string" }) as Json;
  const text = typeof description === "string" ? { description } : {};
  return { name, in: place, required: isRequired, ...text, schema: rest };
}

const DRY_RUN = {
  name: "dry-run",
  in: "query",
  required: false,
  description: "Return what the action would do, and change nothing.",
  schema: { type: "boolean", default: false },
};
const DRY_RUN_OF_SETTINGS = {
  ...DRY_RUN,
  description: `${DRY_RUN.description} Absent: a setting decides.`,
  schema: { type: "boolean" },
};
const IF_MATCH = {
  name: "If-Match",
  in: "header",
  required: true,
  description: "The ETag of the row as you read it; * for whatever it is now.",
  schema: { type: "string" },
};
const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A repeated request with this key gets the first answer, for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function bodyOf(action: Action, { properties = {}, required = [] }: ObjectSchema) {
  const inPath = pathFields(action);
  const names = Object.keys(properties).filter((name) => !inPath.includes(name));
  if (isInQuery(action) || names.length === 0) return undefined;
  const needed = required.filter((name) => names.includes(name));
  const schema = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
  return { required: needed.length > 0, content: { "application/json": { schema } } };
}

/** Refusals by status; several reasons may have one. */
function refusalsOf(reasons: readonly RefusalReason[]): Json {
  const byStatus = Map.groupBy(reasons, (reason) => REFUSALS[reason].status);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: of
          .map((reason) => `${problemType(reason)}: ${REFUSALS[reason].title}.`)
          .join(" "),
        content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

const PROBLEM = {
  type: "object",
  properties: {
    type: {
      type: "string",
      enum: Object.keys(REFUSALS).map((key) => `urn:sealhouse:problem:${key}`),
    },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What happened, to what, and what to do." },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          pointer: { type: "string", description: "A JSON pointer into the body." },
          detail: { type: "string" },
        },
        required: ["pointer", "detail"],
        additionalProperties: false,
      },
    },
  },
  required: ["type", "title", "status", "detail"],
  additionalProperties: false,
};

/** Returns the schema; schemas with an id become components. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const texts = fieldTexts.get(zodSchema as unknown as z.ZodType);
      if (!texts) return;
      jsonSchema.title = texts.label;
      jsonSchema.description = texts.help;
      if (texts.isSecret) jsonSchema.writeOnly = true;
      if (texts.example !== undefined) jsonSchema.examples = [texts.example];
    },
  }) as Json;
  const { $schema: _, $defs = {}, ...rest } = made;
  for (const [name, definition] of Object.entries($defs as Json)) {
    schemas[name] = withComponents(definition as Json);
  }
  return withComponents(rest);
}

function withComponents(value: Json): Json {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json;
}
