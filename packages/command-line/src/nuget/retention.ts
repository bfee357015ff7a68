import { openDatabase } from "@sealhouse/database";
import type { RetentionStep } from "@sealhouse/nuget-protocol";
import { hasRule } from "@sealhouse/nuget-protocol/settings";
import { applyRetention } from "@sealhouse/nuget-protocol";
import { retentionPorts } from "@sealhouse/feed";
import { busySentence, EXIT_BUSY } from "../busy.ts";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import type { Command } from "../command.ts";

export type RetentionOptions = ApplyOptions & { readonly json?: true };

const WORDS = {
  planned: "selected",
  deleted: "deleted",
  unlisted: "unlisted",
  absent: "gone already",
  kept: "kept",
} as const satisfies Record<RetentionStep["outcome"], string>;

export async function runRetentionCommand(
  command: Command,
  { dryRun, apply, json }: RetentionOptions,
): Promise<number> {
  refuseBoth({ dryRun, apply });
  const { config } = command.load();
  const { retention } = config;
  if (!hasRule(retention.rules)) {
    throw new CommandError(
      "There is no rule: set Retention__MaxPrereleaseVersionsPerPackage or " +
        "Retention__MaxPrereleaseAgeDays.",
    );
  }
  await using database = await openDatabase(config.database, {
    migrate: config.migrateAtStart,
    keepContentMs: config.keepContentMs,
  });
  const versions: RetentionStep[] = [];
  const ended = await applyRetention(
    { ports: retentionPorts(database), leases: database.leases, now: () => new Date() },
    {
      rules: retention.rules,
      dryRun: dryRun ?? (apply ? false : retention.dryRun),
      caller: operator(),
      signal: command.stop,
      onStep(step) {
        if (json) versions.push(step);
        else
          command.stdout([WORDS[step.outcome], step.id, step.version, reasonOf(step)].join("  "));
      },
    },
  );
  if (ended.status === "busy") {
    command.stderr(busySentence("run of retention", ended));
    return EXIT_BUSY;
  }
  const { result: summary } = ended;
  if (json) command.stdout(JSON.stringify({ ...summary, versions }, undefined, 2));
  else if (summary.dryRun) {
    command.stderr(`Selected: ${summary.candidates} (${summary.action}). Add --apply to apply it.`);
  } else command.stderr(`Applied: ${summary.removed} (${summary.action}).`);
  return 0;
}

function reasonOf({ outcome, reason, isLast, neededBy }: RetentionStep): string {
  if (outcome !== "kept") return reason;
  if (isLast) return "last version of the package";
  return neededBy === undefined ? "used since it was selected" : `needed by ${neededBy}`;
}
