import type { NewEvent } from "../event.ts";
import { EVENT_SCHEMAS } from "./event-schemas.ts";
import { schemaProblems } from "./json-schema.ts";

/** Returns what is wrong with the detail of an event, by its schema; empty when it is valid. */
export function eventProblems({
  type,
  detail,
}: Pick<NewEvent, "type" | "detail">): readonly string[] {
  const { detail: schema } = EVENT_SCHEMAS[type];
  if (!schema) return detail === undefined ? [] : [`${type} has a detail`];
  return schemaProblems(schema, detail ?? null).map((problem) => `${type}: ${problem}`);
}
