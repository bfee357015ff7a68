import type { Syndication, SyndicationRows } from "@sealhouse/promotion";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const KEY = { key: param.text(64) };

export const ALL_SYNDICATIONS = defineStatement("syndications", {}, (db) =>
  db.selectFrom("syndications").select(["name", "definition", "enabled"]).orderBy("key"),
);
const PUT = defineStatement(
  "syndication-put",
  {
    ...KEY,
    name: param.text(64),
    definition: param.longText,
    enabled: param.flag,
    changedAt: param.time,
  },
  (_db, parameters, own) => own.upsert("syndications", inColumns(parameters), ["key"]),
);
const REMOVE = defineStatement("syndication-remove", KEY, (db, { key }) =>
  db.deleteFrom("syndications").where("key", "=", key),
);

/** Each change and its event are one transaction. */
export function createSyndicationRows({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): SyndicationRows {
  return {
    list: async () => (await queries.all(ALL_SYNDICATIONS, {})).map(syndicationOf),
    put: (syndication, caller) =>
      changes.transaction(async (unit) => {
        const { name, isEnabled: enabled, ...parts } = syndication;
        const key = name.toLowerCase();
        const definition = JSON.stringify(parts);
        const changedAt = changes.now();
        await unit.queries.run(PUT, { key, name, definition, enabled, changedAt });
        const detail = { ...parts, enabled };
        await changes.event(unit, { type: "syndication.changed", subject: name, caller, detail });
      }),
    remove: (name, caller) =>
      changes.transaction(async (unit) => {
        const removed = await unit.queries.run(REMOVE, { key: name.toLowerCase() });
        if (removed === 0) return "absent";
        const detail = { removed: true };
        await changes.event(unit, { type: "syndication.changed", subject: name, caller, detail });
        return "removed";
      }),
  };
}

/** The database holds what `put` wrote. */
export function syndicationOf({
  name,
  definition,
  enabled,
}: RowOf<typeof ALL_SYNDICATIONS>): Syndication {
  const parts = JSON.parse(definition) as Omit<Syndication, "name" | "isEnabled">;
  return { name, isEnabled: enabled, ...parts };
}
