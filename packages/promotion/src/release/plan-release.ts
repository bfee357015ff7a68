import type { GroupRows } from "../group/ports.ts";
import type { Finding } from "../publishers/publisher.ts";
import { targetNamed } from "../model/publish-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import { itemsOf } from "./freeze-release.ts";
import type { ReleasePlan } from "./freeze-release.ts";
import { choose } from "./promotion-request.ts";
import type { PromotionRequest } from "./promotion-request.ts";
import type { ReleaseParts } from "./release-parts.ts";
import type { ReleaseItem } from "../model/release.ts";

/** A member at a target, as the check before a release finds it. */
export type PlannedItem = { readonly item: ReleaseItem; readonly finding: Finding };

/** The members and targets of a release that would be opened, or why none would be. */
export type PromotionPlan =
  | { readonly status: "planned"; readonly items: readonly PlannedItem[] }
  | { readonly status: "refused"; readonly reason: string };

/** Replaces the id of a release, which a plan does not have. */
export const PLAN = "plan";

/** Dependencies of a plan. */
export type PlanParts = ReleaseParts & { readonly groups: GroupRows };

/** Chooses the members and targets of a request. */
export async function itemsFor(
  parts: PlanParts,
  request: PromotionRequest,
  targets: readonly PublishTarget[],
): Promise<ReleasePlan> {
  const chosen = await choose(parts, request);
  if (chosen.status === "absent") return { status: "refused", reason: chosen.reason };
  const { group, targets: names } = chosen;
  const resolved = await parts.resolve({ group: group.name });
  if (resolved.status === "refused") return resolved;
  return itemsOf({ id: PLAN, targets: names }, resolved.members, targets);
}

/** Asks the targets of a request about its members, and changes nothing. */
export async function planRelease(
  parts: PlanParts,
  request: PromotionRequest,
  signal: AbortSignal,
): Promise<PromotionPlan> {
  const targets = await parts.targets.list();
  const planned = await itemsFor(parts, request, targets);
  if (planned.status === "refused") return planned;
  const items: PlannedItem[] = [];
  for (const item of planned.items) {
    const target = targetNamed(targets, item.target);
    if (!target) continue;
    const finding = await parts.publisherOf(target, PLAN).check(item.member, signal);
    items.push({ item, finding });
  }
  return { status: "planned", items };
}
