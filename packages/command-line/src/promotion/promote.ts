import { memberLabel } from "@sealhouse/promotion";
import type { PlannedItem, Promotion, PromotionRequest } from "@sealhouse/promotion";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";
import { printableLine } from "../printable.ts";
import { finishRelease, RELEASE_EXIT } from "./finish-release.ts";
import { loansIn } from "./loans.ts";
import type { LendOptions } from "./loans.ts";

export type PromoteOptions = Json &
  LendOptions & {
    readonly target?: readonly string[];
    readonly dryRun?: true;
    readonly key?: string;
    readonly verify?: true;
    /** `--no-wait`. */
    readonly wait: boolean;
  };

/** Releases a group. Exit codes: 0 released, 1 failed, 3 rolled back, 4 pending, 5 busy. */
export async function promoteGroup(
  command: Command,
  group: string,
  options: PromoteOptions,
): Promise<number> {
  await using resources = await openFeed(command);
  const promotion = await resources.openPromotion();
  const { target: targets, key, verify: verifies = false } = options;
  const loans = loansIn(command, options);
  const request: PromotionRequest = { group, targets, key, verifies, loans };
  if (options.dryRun) return await printPlan(command, promotion, request, options);
  const opened = await promotion.promote(request, operator());
  if (opened.status === "absent") throw new CommandError(opened.reason);
  if (opened.status === "busy") {
    command.stderr(`Another release of ${group} runs: sealhouse release show ${opened.id}`);
    return RELEASE_EXIT.busy;
  }
  const { id } = opened.release;
  if (!options.json) command.stderr(`release ${id}`);
  const wait = { id, isWaiting: options.wait, ...jsonOf(options) };
  return await finishRelease(command, promotion, wait);
}

function jsonOf({ json }: Json): Json {
  return json ? { json } : {};
}

/** Prints what a release would do. Exit codes: 0 all targets would take it; 1 not. */
async function printPlan(
  command: Command,
  promotion: Promotion,
  request: PromotionRequest,
  { json }: Json,
): Promise<number> {
  const plan = await promotion.plan(request, command.stop);
  if (plan.status === "refused") throw new CommandError(plan.reason);
  if (json) command.stdout(JSON.stringify(plan.items, undefined, 2));
  else for (const item of plan.items) command.stdout(printableLine(lineOf(item)));
  const isGood = plan.items.every(
    ({ finding: { status } }) => status === "absent" || status === "same",
  );
  return isGood ? 0 : 1;
}

const WORDS: Readonly<Record<PlannedItem["finding"]["status"], string>> = {
  absent: "would be published",
  same: "is there already",
  conflict: "conflicts",
  refused: "would be refused",
  failed: "cannot be checked now",
  unauthorized: "is not allowed",
};

function lineOf({ item: { target, member }, finding }: PlannedItem): string {
  const tags = member.tags.length > 0 ? `  tags ${member.tags.join(", ")}` : "";
  const remark = "reason" in finding ? finding.reason : finding.remark;
  const words = remark === undefined ? "" : `: ${remark}`;
  return `${target}  ${memberLabel(member)}  ${WORDS[finding.status]}${words}${tags}`;
}
