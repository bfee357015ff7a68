import type { ShownAdvisoryImport, ShownAdvisorySource } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

type Imports = { readonly items: readonly ShownAdvisoryImport[] };

/** Prints sources of advisories, and what was imported from them. */
export const ADVISORY_PRINTS = {
  "vulnerabilities.import": printOf<Imports>({
    text({ items }, place) {
      for (const report of items) printReport(report, place);
    },
    code: ({ items }) => (items.some(({ status }) => status === "failed") ? 1 : 0),
  }),
  "vulnerabilities.list": printOf<{ readonly items: readonly ShownAdvisorySource[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("No advisories were imported yet.");
      for (const { name, location, updatedAt, checkedAt, isByHand } of items) {
        const by = isByHand ? "by hand" : "by the settings";
        stdout([name, location, by, `changed ${updatedAt}`, `read ${checkedAt}`].join("  "));
      }
    },
  }),
  "vulnerabilities.remove": printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) => stderr(`${name} and its advisories are forgotten.`),
  }),
};

function printReport(
  { status, source, reason = "", nuget, npm, skipped }: ShownAdvisoryImport,
  { stdout, stderr }: PrintPlace,
): void {
  if (status === "unchanged") stdout(`${source}: nothing new`);
  if (status === "failed") stderr(`${source}: ${reason}`);
  for (const [counted, protocol] of [
    [nuget, "NuGet"],
    [npm, "npm"],
  ] as const) {
    // Most sources are about one of the two.
    if (!counted || counted.total + counted.removed === 0) continue;
    const { total, added, removed } = counted;
    const advisories = `${total} ${total === 1 ? "advisory" : "advisories"}`;
    stdout(
      `${source}: ${advisories} about ${protocol} packages (${added} added, ${removed} removed)`,
    );
  }
  if (!skipped || skipped.count === 0) return;
  stderr(`${source}: ${skipped.count} could not be read:`);
  for (const line of skipped.reasons) stderr(`  ${printableLine(line)}`);
  if (skipped.count > skipped.reasons.length) stderr("  …");
}
