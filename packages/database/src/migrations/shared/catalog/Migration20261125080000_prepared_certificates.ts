import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261125080000_prepared_certificates: SharedMigration = {
  name: "Migration20261125080000_prepared_certificates",
  up: ({ time }) => [`alter table "signing_certificates" add "listed_at" ${time} null`],
  down: () => ['alter table "signing_certificates" drop column "listed_at"'],
};
