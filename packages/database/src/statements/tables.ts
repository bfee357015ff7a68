import type { InferKyselyDB } from "@mikro-orm/sql";
import type { ENTITIES } from "../entities/contexts.ts";

/** Tables and columns by name, from the entities. A type only: it loads nothing of MikroORM. */
export type Tables = InferKyselyDB<(typeof ENTITIES)["catalog" | "identity"][number]>;
