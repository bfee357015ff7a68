import type { SharedMigration } from "../shared-migration.ts";

export const Migration20261125090000_history: SharedMigration = {
  name: "Migration20261125090000_history",
  up: ({ rowId, text, longText, time, tableEnd, addUnique }) => [
    `create table "history" ("id" ${rowId}, "protocol" ${text(16)} not null,
      "name" ${text(255)} not null, "kind" ${text(16)} not null, "item" ${text(256)} not null,
      "value" ${longText} not null, "valid_from" ${time} not null,
      "valid_to" ${time} not null)${tableEnd}`,
    addUnique("history", "history_item", '"protocol", "name", "kind", "item", "valid_to"'),
  ],
  down: () => ['drop table if exists "history"'],
};
