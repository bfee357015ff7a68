import type { TargetRow, TargetRows } from "@sealhouse/promotion";
import { NAME_LENGTH } from "../entities/name-length.ts";
import type { PortContext } from "../port-context.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { ALL_GROUPS, groupOf } from "./group-rows.ts";
import { RUNNING_TARGETS } from "./release-statements.ts";
import { ALL_SYNDICATIONS, syndicationOf } from "./syndication-rows.ts";

const KEY = { key: param.text(64) };
const PAUSE_PARAMS = {
  ...KEY,
  pausedAt: param.optional(param.time),
  reason: param.optional(param.longText),
};

const COLUMNS = [
  "name",
  "protocol",
  "endpoint",
  "credentials",
  "expires_at",
  "paused_at",
  "pause_reason",
  "last_success_at",
  "options",
] as const;

const ALL = defineStatement("publish-targets", {}, (db) =>
  db.selectFrom("publish_targets").select(COLUMNS).orderBy("key"),
);
const PAGE = defineStatement(
  "publish-targets-page",
  { ...KEY, limit: param.whole },
  (db, { key, limit }, own) =>
    own.limit(
      db.selectFrom("publish_targets").where("key", ">", key).select(COLUMNS).orderBy("key"),
      limit,
    ),
);
const FIND = defineStatement("publish-target-find", KEY, (db, { key }) =>
  db.selectFrom("publish_targets").where("key", "=", key).select(COLUMNS),
);
const PUT = defineStatement(
  "publish-target-put",
  {
    ...KEY,
    name: param.text(64),
    protocol: param.text(NAME_LENGTH.protocol),
    endpoint: param.longText,
    credentials: param.optional(param.bytes),
    expiresAt: param.optional(param.time),
    pausedAt: param.optional(param.time),
    pauseReason: param.optional(param.longText),
    lastSuccessAt: param.optional(param.time),
    options: param.longText,
    changedAt: param.time,
  },
  (_db, parameters, own) => own.upsert("publish_targets", inColumns(parameters), ["key"]),
);
const REMOVE = defineStatement("publish-target-remove", KEY, (db, { key }) =>
  db.deleteFrom("publish_targets").where("key", "=", key),
);
const PAUSE = defineStatement("publish-target-pause", PAUSE_PARAMS, (db, parameters) =>
  db
    .updateTable("publish_targets")
    .set({ paused_at: parameters.pausedAt, pause_reason: parameters.reason })
    .where("key", "=", parameters.key)
    .where("paused_at", "is", null),
);
const RESUME = defineStatement("publish-target-resume", KEY, (db, { key }) =>
  db
    .updateTable("publish_targets")
    .set({ paused_at: null, pause_reason: null })
    .where("key", "=", key)
    .where("paused_at", "is not", null),
);

const SUCCESS = defineStatement(
  "publish-target-success",
  { keys: param.texts, at: param.time },
  (db, { keys, at }, own) =>
    own.byList(
      db
        .updateTable("publish_targets")
        .set({ last_success_at: at })
        .where("key", "in", own.textsIn(keys)),
    ),
);

/** Keeps when a release succeeded at its targets. */
export async function keepSuccess(
  unit: Unit,
  { targets, at }: { readonly targets: readonly string[]; readonly at: Date },
): Promise<void> {
  // In one order, so that two releases never wait for each other.
  const keys = targets.map((name) => name.toLowerCase()).toSorted();
  if (keys.length > 0) await unit.queries.run(SUCCESS, { keys, at });
}

/** Each change and its event are one transaction. */
export function createTargetRows({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): TargetRows {
  return {
    async list(page) {
      if (!page) return (await queries.all(ALL, {})).map(rowOf);
      const { after = "", limit } = page;
      return (await queries.all(PAGE, { key: after.toLowerCase(), limit })).map(rowOf);
    },
    async find(name) {
      const row = await queries.one(FIND, { key: name.toLowerCase() });
      return row && rowOf(row);
    },
    put: (row, caller) =>
      changes.transaction(async (unit) => {
        const { name, protocol, endpoint } = row;
        const key = name.toLowerCase();
        const { credentials, expiresAt, pausedAt, pauseReason, lastSuccessAt } = row;
        const optional = { credentials, expiresAt, pausedAt, pauseReason, lastSuccessAt };
        const changedAt = changes.now();
        await unit.queries.run(PUT, { ...row, ...optional, key, changedAt });
        const { origin, pathname } = new URL(endpoint);
        // The query may contain a secret.
        const detail = { protocol, endpoint: `${origin}${pathname}` };
        await changes.event(unit, { type: "target.changed", subject: name, caller, detail });
      }),
    remove: (name, caller) =>
      changes.transaction(async (unit) => {
        const key = name.toLowerCase();
        const groups = (await unit.queries.all(ALL_GROUPS, {})).map(groupOf);
        const users = groups.filter(({ targets }) =>
          targets.some((target) => target.toLowerCase() === key),
        );
        const syndications = (await unit.queries.all(ALL_SYNDICATIONS, {})).map(syndicationOf);
        const isSyndicated = syndications.some(({ target }) => target.toLowerCase() === key);
        if (users.length > 0 || isSyndicated) return "used";
        const running = await unit.queries.all(RUNNING_TARGETS, {});
        if (running.some(({ targets }) => namesTarget(targets, key))) return "running";
        if ((await unit.queries.run(REMOVE, { key })) === 0) return "absent";
        const detail = { removed: true };
        await changes.event(unit, { type: "target.changed", subject: name, caller, detail });
        return "removed";
      }),
    pause: (name, reason, caller) =>
      changes.transaction(async (unit) => {
        const key = name.toLowerCase();
        const changed =
          reason === undefined
            ? await unit.queries.run(RESUME, { key })
            : await unit.queries.run(PAUSE, { key, pausedAt: changes.now(), reason });
        if (changed === 0) return false;
        const detail = reason === undefined ? { paused: false } : { paused: true, reason };
        await changes.event(unit, { type: "target.changed", subject: name, caller, detail });
        return true;
      }),
  };
}

function namesTarget(targets: string, key: string): boolean {
  const names = JSON.parse(targets) as readonly string[];
  return names.some((name) => name.toLowerCase() === key);
}

function rowOf(row: RowOf<typeof ALL>): TargetRow {
  return {
    name: row.name,
    protocol: row.protocol,
    endpoint: row.endpoint,
    ...(row.credentials !== null && { credentials: row.credentials }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.paused_at !== null && { pausedAt: row.paused_at }),
    ...(row.pause_reason !== null && { pauseReason: row.pause_reason }),
    ...(row.last_success_at !== null && { lastSuccessAt: row.last_success_at }),
    options: row.options,
  };
}
