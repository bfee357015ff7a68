import type { Role } from "../people/person.ts";
import type { GroupRules } from "./provider-config.ts";
import type { RefusedPerson, VerifiedPerson } from "./provider.ts";
import { refuse } from "./refusal.ts";

/** Role and groups of a person. */
export type Membership = Pick<VerifiedPerson, "role" | "groups">;

/**
 * Decides by the groups of a person, of those that were asked for. `noun` names a group of the
 * provider: `group`, `team`.
 */
export function applyGroupRules(
  rules: GroupRules,
  groups: readonly string[],
  noun: "group" | "team",
): Membership | RefusedPerson {
  const isInAny = (wanted: readonly string[]) => wanted.some((group) => groups.includes(group));
  if (rules.required.length > 0 && !isInAny(rules.required)) {
    return refuse(
      "required-group-missing",
      `Your account is in no ${noun} whose members may use this registry. Ask its operator to ` +
        `add you to a ${noun}.`,
    );
  }
  const role = roleOf(rules, isInAny);
  if (role === "none") {
    return refuse(
      "role-group-missing",
      `Your account is in no ${noun} that gives a role in this registry. Ask its operator to add ` +
        `you to a ${noun}.`,
    );
  }
  return { groups, ...(role !== undefined && { role }) };
}

function roleOf(
  { administrators, publishers, consumers }: GroupRules,
  isInAny: (wanted: readonly string[]) => boolean,
): Role | "none" | undefined {
  if (isInAny(administrators)) return "administrator";
  if (isInAny(publishers)) return "publisher";
  if (consumers.length > 0 && !isInAny(consumers)) return "none";
  const hasRoles = [administrators, publishers, consumers].some((groups) => groups.length > 0);
  return hasRoles ? "consumer" : undefined;
}
