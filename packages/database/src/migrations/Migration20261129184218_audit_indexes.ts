import { onEveryDatabase } from "./every-database.ts";
import type { Migration } from "./migration.ts";

export const Migration20261129184218_audit_indexes: Migration = {
  name: "Migration20261129184218_audit_indexes",
  statements: onEveryDatabase([
    'create index "audit_log_actor_at_index" on "audit_log" ("actor", "at")',
    'create index "audit_log_subject_at_index" on "audit_log" ("subject", "at")',
    'create index "audit_log_type_at_index" on "audit_log" ("type", "at")',
  ]),
};
