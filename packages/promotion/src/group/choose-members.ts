import type { ReleaseMember } from "../model/release.ts";
import { chooseVersion } from "./choose-version.ts";
import type { GroupMember, PackageGroup } from "./package-group.ts";
import type { MemberCatalog } from "./ports.ts";
import { memberText } from "./parse-member.ts";

/** Maximum number of members of one release. */
export const MEMBERS_MAX = 1000;

/** A package of a group: the version that a release takes now, or why it takes none. */
export type ChosenMember = {
  /** The member of the group that covers it. */
  readonly by: GroupMember;
  readonly name: string;
} & ({ readonly version: ReleaseMember } | { readonly problem: string });

/** Chooses the versions that a release of the group takes. A name that matches several members is
 * taken by the first. */
export async function chooseMembers(
  catalog: MemberCatalog,
  { members }: Pick<PackageGroup, "members">,
): Promise<readonly ChosenMember[]> {
  const found = new Map<string, ChosenMember>();
  for (const by of members) {
    const names = await namesOf(catalog, by);
    if (names.length === 0) found.set(memberText(by), refused(by, "matches no package"));
    for (const name of names) {
      const key = `${by.protocol}/${name.toLowerCase()}`;
      if (found.has(key)) continue;
      const choice = chooseVersion(by.rule, await catalog.versions(by.protocol, name));
      // Of a pattern, packages without such a version are left out.
      if (!choice && isPattern(by)) continue;
      const version = choice && (await catalog.describe(by.protocol, name, choice));
      const missing = { ...refused(by, `finds no version of ${name}`), name };
      found.set(key, version ? { by, name, version } : missing);
      if (found.size > MEMBERS_MAX) {
        found.set(key, refused(by, `makes more than ${MEMBERS_MAX} members`));
        return [...found.values()];
      }
    }
  }
  return [...found.values()];
}

async function namesOf(catalog: MemberCatalog, member: GroupMember): Promise<readonly string[]> {
  return isPattern(member)
    ? catalog.names(member.protocol, member.pattern, MEMBERS_MAX + 1)
    : [member.pattern];
}

function isPattern({ pattern }: GroupMember): boolean {
  return pattern.includes("*");
}

function refused(by: GroupMember, words: string): ChosenMember {
  return { by, name: by.pattern, problem: `The member ${memberText(by)} ${words}.` };
}
