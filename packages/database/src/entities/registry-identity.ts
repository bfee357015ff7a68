import { defineEntity, p } from "@mikro-orm/core";
import { key } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** The one row that tells the databases of different registries apart. */
export const RegistryIdentity = defineEntity({
  name: "RegistryIdentity",
  tableName: "registry_identity",
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    /** A random UUID. */
    registryId: key(NAME_LENGTH.registryId),
    /** The organization at GitHub whose members sign in, by its URL; a space; its numeric id. */
    knownOrganization: key(255).nullable(),
  },
});
