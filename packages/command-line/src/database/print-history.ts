import type { ShownHistoryEntry } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { Prints } from "../actions/print.ts";

/** Prints of the history of names. */
export const HISTORY_PRINTS: Prints = {
  "history.list": printOf<{ readonly items: readonly ShownHistoryEntry[] }>({
    text({ items }, { stdout, stderr, input: { name, limit } }) {
      if (items.length === 0) stderr(`The history has no entries of "${String(name)}".`);
      for (const entry of items) stdout(lineOf(entry));
      if (items.length === limit) stderr(`Showing ${limit} entries. Use --limit for more.`);
    },
  }),
  "history.erase": printOf<{ readonly count: number }>({
    text: ({ count }, { stdout, isDryRun }) =>
      stdout(isDryRun ? `${count} would be erased` : `${count} erased`),
  }),
};

function lineOf({ protocol, name, kind, item, value, from, until }: ShownHistoryEntry): string {
  const times = `${from}  ${until ?? "now".padEnd(24)}`;
  const subject = item === "" ? `${protocol}/${name}` : `${protocol}/${name} ${item}`;
  return [times, kind, subject, value].join("  ");
}
