import type { ReleaseMember } from "../model/release.ts";
import { chooseMembers } from "./choose-members.ts";
import type { PackageGroup } from "./package-group.ts";
import type { MemberCatalog } from "./ports.ts";

/** The members that a release takes, or why it takes none. */
export type ResolvedMembers =
  | { readonly status: "resolved"; readonly members: readonly ReleaseMember[] }
  | { readonly status: "refused"; readonly reason: string };

/** Finds the versions that a release of the group takes. */
export async function resolveGroup(
  catalog: MemberCatalog,
  group: PackageGroup,
): Promise<ResolvedMembers> {
  const members: ReleaseMember[] = [];
  for (const chosen of await chooseMembers(catalog, group)) {
    if ("problem" in chosen) return { status: "refused", reason: chosen.problem };
    members.push(chosen.version);
  }
  return { status: "resolved", members };
}
