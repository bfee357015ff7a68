import type { NpmTeams, TeamPermission } from "../owners/ports.ts";
import type { NpmTeamsParts } from "./contract-teams.ts";

/** The level `manage` of a team, or its right as npm names it. */
type Right = TeamPermission | "manage";

/** Teams in memory, under the same contract as the databases. `has`: whether a package exists. */
export function createMemoryNpmTeams(
  has: (name: string) => Promise<boolean>,
): Omit<NpmTeamsParts, "recorder"> {
  const members = new Map<string, readonly string[]>();
  /** Rights by package and team. */
  const rights = new Map<string, ReadonlyMap<string, Right>>();
  const set = (name: string, team: string, right: Right | undefined) => {
    const changed = new Map(rights.get(name));
    if (right) changed.set(team, right);
    else changed.delete(team);
    rights.set(name, changed);
  };
  const teams: NpmTeams = {
    ofScope: async (scope) =>
      [...members.keys()].toSorted().flatMap((name) => {
        const packages = [...rights].flatMap(([owned, ofTeams]) => {
          const right = owned.startsWith(`${scope}/`) ? ofTeams.get(name) : undefined;
          return right ? [[owned, permissionOf(right)] as const] : [];
        });
        const team = { name, members: members.get(name) ?? [], packages: new Map(packages) };
        return packages.length > 0 ? [team] : [];
      }),
    async setPermission(name, { team, permission }) {
      if (!members.has(team) || !(await has(name))) return "absent";
      const present = new Map(rights.get(name));
      const managers = [...present].filter(([, right]) => right === "manage");
      if (managers.length === 1 && managers[0]?.[0] === team) return "last";
      set(name, team, permission);
      return "set";
    },
  };
  return {
    teams,
    addTeam: async (name, users) => void members.set(name, users.toSorted()),
    makeManager: async (name, team) => set(name, team, "manage"),
  };
}

function permissionOf(right: Right): TeamPermission {
  return right === "manage" ? "read-write" : right;
}
