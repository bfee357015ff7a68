import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { PortContext } from "../../port-context.ts";
import { param } from "../../statements/kinds.ts";
import { defineStatement } from "../../statements/statement.ts";
import { noteEntry } from "./note-entry.ts";

const PACKAGES_AT_ONCE = 500;

const NEXT = defineStatement(
  "npm-entries-next",
  { after: param.whole, take: param.whole },
  (db, { after, take }, own) =>
    own.limit(
      db
        .selectFrom("npm_packages as p")
        .leftJoin("npm_search_entries as e", "e.package_id", "p.id")
        .where("p.id", ">", after)
        .select(["p.id", "e.package_id"])
        .orderBy("p.id"),
      take,
    ),
);

/**
 * Adds the search entries that packages with a larger id than `after` lack, because an instance
 * without this index published them. Returns the last id.
 */
export async function fillEntries(
  { queries, changes }: Pick<PortContext, "queries" | "changes">,
  after: number,
  signal: AbortSignal,
): Promise<number> {
  let last = after;
  for (;;) {
    if (signal.aborted) return last;
    const rows = await queries.all(NEXT, { after: last, take: PACKAGES_AT_ONCE });
    const missing = rows.filter((row) => row.package_id === null);
    if (missing.length > 0) {
      await changes.transaction(async (unit) => {
        for (const { id } of missing) await noteEntry(unit, id);
      });
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < PACKAGES_AT_ONCE) return last;
    await yieldToEventLoop();
  }
}
