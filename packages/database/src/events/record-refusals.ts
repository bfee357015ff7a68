import { REFUSAL_QUIET_MS, refusalKey } from "@sealhouse/events";
import type { ShownEvent } from "@sealhouse/events";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import { EVENT_COLUMNS, eventOf } from "./event-rows.ts";

/** Newest events that are compared: more than are ever younger than a minute and not delivered. */
const EVENTS_MAX = 2_000;
/** All instances wait for each other here. */
const GROUP = "access/refusals";

const SINCE = { type: param.text(64), since: param.time };

const LAST = defineStatement("refusals-last-event", {}, (db) =>
  db.selectFrom("events").select((event) => event.fn.max<number | null>("id").as("id")),
);
/** Events that the audit log may not have yet. */
const WAITING = defineStatement(
  "refusals-waiting",
  { ...SINCE, after: param.whole },
  (db, { type, since, after }) =>
    db
      .selectFrom("events")
      .select(EVENT_COLUMNS)
      .where("id", ">", after)
      .where("type", "=", type)
      .where("at", ">=", since),
);
const LOGGED = defineStatement("refusals-logged", SINCE, (db, { type, since }) =>
  db
    .selectFrom("audit_log")
    .select(EVENT_COLUMNS)
    .where("type", "=", type)
    .where("at", ">=", since),
);

/** Writes the refusals that no event of the last minute equals, of this instance or another. */
export async function recordRefusals(
  changes: Changes,
  refusals: readonly ShownEvent[],
): Promise<void> {
  if (refusals.length === 0) return;
  await changes.transaction(async (unit) => {
    await changes.stale(unit, GROUP);
    const since = new Date(changes.now().getTime() - REFUSAL_QUIET_MS);
    const asked = { type: "access.refused", since } as const;
    const last = (await unit.queries.one(LAST, {}))?.id ?? 0;
    const rows = [
      ...(await unit.queries.all(WAITING, { ...asked, after: last - EVENTS_MAX })),
      ...(await unit.queries.all(LOGGED, asked)),
    ];
    const written = new Set(rows.map((row) => refusalKey(eventOf(0, row))));
    for (const refusal of refusals) {
      const key = refusalKey(refusal);
      if (written.has(key)) continue;
      written.add(key);
      await changes.shown(unit, refusal);
    }
  });
}
