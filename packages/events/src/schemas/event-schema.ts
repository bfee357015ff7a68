import type { JsonSchema } from "./json-schema.ts";

/** Meaning of an event type, and the schema of its `detail`. */
export type EventSchema = {
  /** One sentence. */
  readonly about: string;
  /** Form of the subject. */
  readonly subject: string;
  /** `null`: the event has no detail. */
  readonly detail: JsonSchema | null;
  /** No part of this version raises it. */
  readonly isReserved?: true;
};

/** Subjects of events, as the page about events describes them. */
export const PACKAGE = "`nuget/Id@version`, `npm/name@version` or `oci/repository:tag`";
export const NPM_NAME = "`npm/name`";
export const OWNED_NAME = "`nuget/id`, `npm/name` or `oci/repository`";
