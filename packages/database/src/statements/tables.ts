import type { InferKyselyDB } from "@mikro-orm/sql";
import type { CATALOG_ENTITIES } from "../entities/catalog-entities.ts";
import type { EVENT_ENTITIES } from "../entities/event-entities.ts";
import type { IDENTITY_ENTITIES } from "../entities/identity-entities.ts";

type Entity =
  | (typeof CATALOG_ENTITIES)[number]
  | (typeof EVENT_ENTITIES)[number]
  | (typeof IDENTITY_ENTITIES)[number];

/**
 * Tables and columns by name, from the entities. An interface, so that declarations contain its
 * name instead of all tables. A type only: it loads nothing of MikroORM.
 */
export interface Tables extends InferKyselyDB<Entity> {}
