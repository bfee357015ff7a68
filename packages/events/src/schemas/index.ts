export { eventProblems } from "./event-problems.ts";
export { dataSchemaOf, EVENT_SCHEMAS } from "./event-schemas.ts";
export type { EventSchema } from "./event-schema.ts";
export { eventsPage } from "./events-page.ts";
export { schemaProblems } from "./json-schema.ts";
export type { JsonSchema } from "./json-schema.ts";
