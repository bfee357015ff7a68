import type { ReleaseMember } from "../model/release.ts";
import { chooseVersion } from "./choose-version.ts";
import type { GroupMember, PackageGroup } from "./package-group.ts";
import type { MemberCatalog } from "./ports.ts";
import { memberText } from "./parse-member.ts";

/** Maximum number of members of one release. */
export const MEMBERS_MAX = 1000;

/** The members that a release takes, or why it takes none. */
export type ResolvedMembers =
  | { readonly status: "resolved"; readonly members: readonly ReleaseMember[] }
  | { readonly status: "refused"; readonly reason: string };

/** Finds the versions that a release of the group takes. A name that matches several members is
 * taken by the first. */
export async function resolveGroup(
  catalog: MemberCatalog,
  { members }: PackageGroup,
): Promise<ResolvedMembers> {
  const found = new Map<string, ReleaseMember>();
  for (const member of members) {
    const names = await namesOf(catalog, member);
    if (names.length === 0) return refused(member, "matches no package");
    for (const name of names) {
      const key = `${member.protocol}/${name.toLowerCase()}`;
      if (found.has(key)) continue;
      const choice = chooseVersion(member.rule, await catalog.versions(member.protocol, name));
      // Of a pattern, packages without such a version are left out.
      if (!choice && isPattern(member)) continue;
      const described = choice && (await catalog.describe(member.protocol, name, choice));
      if (!described) return refused(member, `finds no version of ${name}`);
      found.set(key, described);
      if (found.size > MEMBERS_MAX)
        return refused(member, `makes more than ${MEMBERS_MAX} members`);
    }
  }
  return { status: "resolved", members: [...found.values()] };
}

async function namesOf(catalog: MemberCatalog, member: GroupMember): Promise<readonly string[]> {
  return isPattern(member)
    ? catalog.names(member.protocol, member.pattern, MEMBERS_MAX + 1)
    : [member.pattern];
}

function isPattern({ pattern }: GroupMember): boolean {
  return pattern.includes("*");
}

function refused(member: GroupMember, words: string): ResolvedMembers {
  return { status: "refused", reason: `The member ${memberText(member)} ${words}.` };
}
