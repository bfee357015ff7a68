import type { ShownRecord } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

type Page = { readonly items: readonly ShownRecord[]; readonly next?: string };

/** Prints records of the audit log. */
export const AUDIT_PRINTS = {
  "audit.list": printOf<Page>({
    text({ items, next }, { stdout, stderr }) {
      if (items.length === 0) stderr("No audit records match.");
      for (const record of items) stdout(lineOf(record));
      if (next === undefined) return;
      stderr(
        `Showing the newest ${items.length}. ` +
          'Use --limit, a filter, or "sealhouse audit export".',
      );
    },
  }),
  "audit.export": printOf<Page>({
    page({ items }, { stdout }) {
      for (const record of items) stdout(JSON.stringify(record));
    },
  }),
};

function lineOf({ time, type, subject, actor, tokenId, address }: ShownRecord): string {
  const token = tokenId === undefined ? [] : [`token ${tokenId}`];
  const from = address === undefined ? [] : [`from ${address}`];
  return [time, type, subject, [`by ${actor}`, ...token, ...from].join(" ")].join("  ");
}
