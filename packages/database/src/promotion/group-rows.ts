import type { GroupRows, PackageGroup } from "@sealhouse/promotion";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { ALL_SYNDICATIONS, syndicationOf } from "./syndication-rows.ts";

const KEY = { key: param.text(64) };

export const ALL_GROUPS = defineStatement("package-groups", {}, (db) =>
  db.selectFrom("package_groups").select(["name", "definition"]).orderBy("key"),
);
const PUT = defineStatement(
  "package-group-put",
  { ...KEY, name: param.text(64), definition: param.longText, changedAt: param.time },
  (_db, parameters, own) => own.upsert("package_groups", inColumns(parameters), ["key"]),
);
const REMOVE = defineStatement("package-group-remove", KEY, (db, { key }) =>
  db.deleteFrom("package_groups").where("key", "=", key),
);

/** Each change and its event are one transaction. */
export function createGroupRows({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): GroupRows {
  return {
    list: async () => (await queries.all(ALL_GROUPS, {})).map(groupOf),
    put: (group, caller) =>
      changes.transaction(async (unit) => {
        const { name, members, targets } = group;
        const definition = JSON.stringify({ members, targets });
        const changedAt = changes.now();
        await unit.queries.run(PUT, { key: name.toLowerCase(), name, definition, changedAt });
        const detail = { members, targets };
        await changes.event(unit, { type: "group.changed", subject: name, caller, detail });
      }),
    remove: (name, caller) =>
      changes.transaction(async (unit) => {
        const key = name.toLowerCase();
        const syndications = (await unit.queries.all(ALL_SYNDICATIONS, {})).map(syndicationOf);
        const isUsed = syndications.some(
          ({ from }) => from.type === "group" && from.group.toLowerCase() === key,
        );
        if (isUsed) return "used";
        const removed = await unit.queries.run(REMOVE, { key });
        if (removed === 0) return "absent";
        const detail = { removed: true };
        await changes.event(unit, { type: "group.changed", subject: name, caller, detail });
        return "removed";
      }),
  };
}

/** The database holds what `put` wrote. */
export function groupOf({ name, definition }: RowOf<typeof ALL_GROUPS>): PackageGroup {
  const parts = JSON.parse(definition) as Omit<PackageGroup, "name">;
  return { name, ...parts };
}
