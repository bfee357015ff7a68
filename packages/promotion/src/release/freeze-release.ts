import { targetNamed } from "../model/publish-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { PassParts, StepOutcome } from "./release-parts.ts";
import { memberLabel } from "../model/release.ts";
import type { ReleaseItem, ReleaseMember, StoredRelease } from "../model/release.ts";

/** Chooses the members and writes what goes where. Nothing changes it later. */
export async function freezeRelease(
  parts: PassParts,
  release: StoredRelease,
): Promise<StepOutcome> {
  const resolved = await parts.resolve(release);
  if (resolved.status === "refused") return { status: "fails", reason: resolved.reason };
  const plan = itemsOf(release, resolved.members, parts.allTargets);
  if (plan.status === "refused") return { status: "fails", reason: plan.reason };
  const now = parts.now();
  await parts.rows.freeze(release.id, plan.items, {
    from: "open",
    state: "frozen",
    frozenAt: now,
    attemptsSince: now,
  });
  return { status: "complete" };
}

/** Which member goes to which target, or why the release cannot begin. */
export type ReleasePlan =
  | { readonly status: "planned"; readonly items: readonly ReleaseItem[] }
  | { readonly status: "refused"; readonly reason: string };

/** Each member goes to all targets of its protocol, and must have one. */
export function itemsOf(
  release: Pick<StoredRelease, "id" | "targets">,
  members: readonly ReleaseMember[],
  targets: readonly PublishTarget[],
): ReleasePlan {
  if (members.length === 0) return { status: "refused", reason: "The group has no members." };
  const wanted: PublishTarget[] = [];
  for (const name of release.targets) {
    const target = targetNamed(targets, name);
    if (!target) return { status: "refused", reason: `There is no target ${name}.` };
    wanted.push(target);
  }
  const items: ReleaseItem[] = [];
  for (const member of members) {
    const homes = wanted.filter(({ protocol }) => protocol === member.protocol);
    if (homes.length === 0) {
      const label = memberLabel(member);
      const reason = `No target takes ${label}: none of them is for ${member.protocol}.`;
      return { status: "refused", reason };
    }
    for (const { name: target } of homes) {
      const id = `${release.id}/${items.length + 1}`;
      items.push({ id, target, member, state: "ready", wasThere: false, attempts: 0 });
    }
  }
  return { status: "planned", items };
}
