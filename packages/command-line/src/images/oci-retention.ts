import { openDatabase } from "@sealhouse/database";
import { immutableTags, applyTagRetention } from "@sealhouse/oci-distribution";
import type { TagRetentionStep } from "@sealhouse/oci-distribution";
import { hasKeepRule } from "@sealhouse/oci-distribution/settings";
import { tagRetentionPorts } from "@sealhouse/feed";
import { busySentence, EXIT_BUSY } from "../busy.ts";
import { operator } from "../operator.ts";
import { CommandError } from "../command.ts";
import { refuseBoth } from "../program-apply.ts";
import type { ApplyOptions } from "../program-apply.ts";
import type { Command } from "../command.ts";

export type OciRetentionOptions = ApplyOptions & { readonly json?: true };

const WORDS = {
  planned: "would be deleted",
  deleted: "deleted",
  kept: "kept: used in between",
} as const satisfies Record<TagRetentionStep["outcome"], string>;

/** `sealhouse oci retention`: lists or deletes the tags that the rules do not keep. */
export async function runOciRetention(
  command: Command,
  { dryRun, apply, json }: OciRetentionOptions,
): Promise<number> {
  refuseBoth({ dryRun, apply });
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
    { ports: tagRetentionPorts(database), leases: database.leases, now: () => new Date() },
    {
      rules,
      dryRun: dryRun ?? (apply ? false : retention.dryRun),
      caller: operator(),
      signal: command.stop,
      onStep(step) {
        if (json) tags.push(step);
        else
          command.stdout(
            [WORDS[step.outcome], `${step.repository}:${step.tag}`, step.rule].join("  "),
          );
      },
    },
  );
  if (ended.status === "busy") {
    command.stderr(busySentence("run of retention", ended));
    return EXIT_BUSY;
  }
  const { result: summary } = ended;
  if (json) command.stdout(JSON.stringify({ ...summary, tags }, undefined, 2));
  else if (summary.dryRun)
    command.stderr(`Would delete ${summary.candidates} tags. Use --apply to delete them.`);
  else command.stderr(`Deleted ${summary.removed} tags.`);
  return 0;
}
