import { memberLabel } from "@sealhouse/promotion";
import type { Release, StoredRelease } from "@sealhouse/promotion";
import type { Command } from "../command.ts";
import { printableLine } from "../printable.ts";

/** Prints a release with the state of each member at each target. */
export function printRelease(command: Command, release: StoredRelease): void {
  command.stdout(printableLine(releaseLine(release)));
  if (release.reason !== undefined) command.stdout(printableLine(`  ${release.reason}`));
  for (const { target, member, state, note } of release.items) {
    const remark = note === undefined ? "" : `  (${note})`;
    command.stdout(printableLine(`  ${target}  ${memberLabel(member)}  ${state}${remark}`));
  }
}

/** A release in one line. */
export function releaseLine({
  id,
  group,
  number,
  kind,
  state,
  actor,
  createdAt,
  targets,
}: Release): string {
  const title = `${group} #${number}`;
  const at = createdAt.toISOString();
  return [id, title, kind, state, `to ${targets.join(", ")}`, `by ${actor}`, at].join("  ");
}
