import type { SourceRow, SourceRows } from "@sealhouse/upstream-sources";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const KEY = { key: param.text(64) };

const ALL = defineStatement("package-sources", {}, (db) =>
  db
    .selectFrom("package_sources")
    .select([
      "name",
      "protocol",
      "url",
      "type",
      "priority",
      "surface",
      "strategy",
      "signature_policy",
      "enabled",
      "credentials",
      "settings",
    ])
    .orderBy("priority")
    .orderBy("key"),
);
const PUT = defineStatement(
  "package-source-put",
  {
    ...KEY,
    name: param.text(64),
    protocol: param.text(NAME_LENGTH.protocol),
    url: param.longText,
    type: param.text(16),
    priority: param.whole,
    surface: param.optional(param.text(64)),
    strategy: param.text(16),
    signaturePolicy: param.text(16),
    enabled: param.flag,
    credentials: param.optional(param.bytes),
    settings: param.longText,
    changedAt: param.time,
  },
  (_db, parameters, own) => own.upsert("package_sources", inColumns(parameters), ["key"]),
);
const REMOVE = defineStatement("package-source-remove", KEY, (db, { key }) =>
  db.deleteFrom("package_sources").where("key", "=", key),
);

/** Each change and its event are one transaction. */
export function createSourceRows({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): SourceRows {
  return {
    list: async () => (await queries.all(ALL, {})).map(rowOf),
    put: (row, caller) =>
      changes.transaction(async (unit) => {
        const { name, protocol, url, isEnabled: enabled } = row;
        const key = name.toLowerCase();
        const { credentials = null, surface = null, ...rest } = row;
        const changedAt = changes.now();
        await unit.queries.run(PUT, { ...rest, key, enabled, credentials, surface, changedAt });
        const detail = { protocol, url, enabled };
        await changes.event(unit, { type: "source.changed", subject: name, caller, detail });
      }),
    remove: (name, caller) =>
      changes.transaction(async (unit) => {
        const removed = await unit.queries.run(REMOVE, { key: name.toLowerCase() });
        if (removed === 0) return "absent";
        const detail = { removed: true };
        await changes.event(unit, { type: "source.changed", subject: name, caller, detail });
        return "removed";
      }),
  };
}

function rowOf(row: RowOf<typeof ALL>): SourceRow {
  return {
    name: row.name,
    protocol: row.protocol,
    url: row.url,
    type: row.type,
    priority: row.priority,
    ...(row.surface !== null && { surface: row.surface }),
    strategy: row.strategy,
    signaturePolicy: row.signature_policy,
    isEnabled: row.enabled,
    ...(row.credentials !== null && { credentials: row.credentials }),
    settings: row.settings,
  };
}
