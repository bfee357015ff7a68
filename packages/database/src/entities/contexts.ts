import type { EntitySchema } from "@mikro-orm/core";
import { CATALOG_ENTITIES } from "./catalog-entities.ts";
import { EVENT_ENTITIES } from "./event-entities.ts";
import { IDENTITY_ENTITIES } from "./identity-entities.ts";

/** The entities of the two contexts. */
export const ENTITIES: {
  readonly catalog: readonly EntitySchema[];
  readonly identity: readonly EntitySchema[];
} = { catalog: [...CATALOG_ENTITIES, ...EVENT_ENTITIES], identity: IDENTITY_ENTITIES };
