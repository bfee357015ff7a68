import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261125050000_audit_times: SharedMigration = {
  name: "Migration20261125050000_audit_times",
  up: () => ['create index "audit_log_at_index" on "audit_log" ("at")'],
  down: ({ dropIndex }) => [dropIndex("audit_log", "audit_log_at_index")],
};
