import type { ShownRetention } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { Prints } from "../actions/print.ts";

type Version = ShownRetention["versions"][number];

const WORDS = {
  planned: "selected",
  deleted: "deleted",
  unlisted: "unlisted",
  absent: "gone already",
  kept: "kept",
} as const satisfies Record<Version["outcome"], string>;

/** Prints of retention. */
export const RETENTION_PRINTS: Prints = {
  "retention.run": printOf<ShownRetention>({
    text({ dryRun, action, candidates, removed, versions }, { stdout, stderr }) {
      for (const version of versions) {
        const { outcome, id, version: number } = version;
        stdout([WORDS[outcome], id, number, reasonOf(version)].join("  "));
      }
      stderr(
        dryRun
          ? `Selected: ${candidates} (${action}). Add --apply to apply it.`
          : `Applied: ${removed} (${action}).`,
      );
    },
  }),
};

function reasonOf({ outcome, reason, isLast, neededBy }: Version): string {
  if (outcome !== "kept") return reason;
  if (isLast) return "last version of the package";
  return neededBy === undefined ? "used since it was selected" : `needed by ${neededBy}`;
}
