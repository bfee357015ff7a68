import { groupNamed } from "../group/package-group.ts";
import type { PackageGroup } from "../group/package-group.ts";
import type { GroupRows } from "../group/ports.ts";
import type { Loan } from "../lending/lend.ts";
import { targetNamed } from "../model/publish-target.ts";
import type { StoredTargets } from "../target/stored-targets.ts";

/** A release to open by hand. */
export type PromotionRequest = {
  readonly group: string;
  /** Names of targets; default: all of the group. */
  readonly targets?: readonly string[] | undefined;
  /** A repeated request with the same key finds the release of the first. Default: a new one. */
  readonly key?: string | undefined;
  /** Keys of the pipeline, for targets without their own. */
  readonly loans?: readonly Loan[];
  /** Looks for every layer at the targets, even of images that earlier releases completed. */
  readonly verifies?: boolean;
};

/** The group and the targets of a request, or the reason why there are none. */
export type Chosen =
  | {
      readonly status: "chosen";
      readonly group: PackageGroup;
      readonly targets: readonly string[];
    }
  | { readonly status: "absent"; readonly reason: string };

/** Dependencies of the choice of targets. */
export type ChoicePorts = {
  readonly groups: GroupRows;
  readonly targets: Pick<StoredTargets, "list">;
};

/** Finds the group and the targets of a request. */
export async function choose(
  { groups, targets }: ChoicePorts,
  request: PromotionRequest,
): Promise<Chosen> {
  const group = groupNamed(await groups.list(), request.group);
  if (!group) return { status: "absent", reason: `There is no group ${request.group}.` };
  const stored = await targets.list();
  const chosen: string[] = [];
  for (const name of request.targets ?? group.targets) {
    const target = targetNamed(stored, name);
    if (!target) return { status: "absent", reason: `There is no target ${name}.` };
    chosen.push(target.name);
  }
  if (chosen.length > 0) return { status: "chosen", group, targets: chosen };
  return { status: "absent", reason: `The group ${group.name} has no targets.` };
}
