import { openDatabase } from "@sealhouse/database";
import { immutableTags } from "@sealhouse/oci-distribution";
import type { TagRetentionStep } from "@sealhouse/oci-distribution";
import { hasKeepRule } from "../settings/oci-tags.ts";
import { applyTagRetention } from "../wiring/oci-retention.ts";
import { operator } from "./operator.ts";
import { CommandError } from "./run.ts";
import type { Command } from "./run.ts";

export type OciRetentionOptions = {
  readonly dryRun?: true;
  readonly run?: true;
  readonly json?: true;
};

const WORDS = {
  planned: "would go",
  deleted: "deleted",
  kept: "stays, used meanwhile",
} as const satisfies Record<TagRetentionStep["outcome"], string>;

/** `sealhouse oci retention`: what the rules let go. */
export async function runOciRetention(
  command: Command,
  { dryRun, run, json }: OciRetentionOptions,
): Promise<number> {
  if (dryRun && run) throw new CommandError("Say --dry-run or --run, not both.");
  const { config } = command.load();
  const { rules, retention } = config.ociTags;
  if (!hasKeepRule({ rules })) {
    throw new CommandError(
      "There is no rule: set Feed__Oci__TagRules__0__KeepNewest, __KeepPushedWithin or " +
        "__KeepPulledWithin.",
    );
  }
  await using database = await openDatabase(config.database, {
    migrate: config.migrateAtStart,
    immutableTags: immutableTags(rules),
  });
  const tags: TagRetentionStep[] = [];
  const ended = await applyTagRetention(
    { database, now: () => new Date() },
    {
      rules,
      dryRun: dryRun ?? (run ? false : retention.dryRun),
      caller: operator(),
      signal: command.stop,
      onStep(step) {
        if (json) tags.push(step);
        else
          command.print(
            [WORDS[step.outcome], `${step.repository}:${step.tag}`, step.rule].join("  "),
          );
      },
    },
  );
  if (ended.status === "busy") {
    throw new CommandError("Retention runs on another instance at this moment; try again later.");
  }
  const { result: summary } = ended;
  if (json) command.print(JSON.stringify({ ...summary, tags }, undefined, 2));
  else if (summary.dryRun) command.tell(`Would go: ${summary.candidates} tags. --run does it.`);
  else command.tell(`Gone: ${summary.removed} tags.`);
  return 0;
}
