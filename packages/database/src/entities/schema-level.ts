import { defineEntity, p } from "@mikro-orm/core";
import { key } from "./columns.ts";

/** The one row that names the oldest release which may run on this schema. */
export const SchemaLevel = defineEntity({
  name: "SchemaLevel",
  tableName: "schema_level",
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    /** The migration that a host must know. */
    required: key(128),
  },
});
