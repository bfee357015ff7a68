import type { ServiceAccounts } from "../people/service-accounts.ts";
import { TEAM_MEMBERS_MAX } from "../people/teams.ts";
import type { Teams } from "../people/teams.ts";
import type { MemoryRegistry } from "./memory-registry.ts";

export function createMemoryTeams({ names, people, teams, members }: MemoryRegistry): Teams {
  return {
    async add(team) {
      if (names.has(team.handle)) return "taken";
      names.add(team.handle);
      teams.set(team.id, team);
      return "added";
    },
    async find(handleOrId) {
      const text = handleOrId.toLowerCase();
      return [...teams.values()].find(({ id, handle }) => id === text || handle === text);
    },
    list: async () =>
      [...teams.values()].toSorted((one, other) => (one.handle < other.handle ? -1 : 1)),
    members: async (id) =>
      [...members.values()]
        .filter(({ teamId }) => teamId === id)
        .map(({ userId, level, source }) => {
          const { handle = "", displayName = "" } = people.get(userId) ?? {};
          return { userId, handle, displayName, level, source };
        })
        .toSorted((one, other) => (one.handle < other.handle ? -1 : 1)),
    async change(id, change) {
      const team = teams.get(id);
      if (!team) return "absent";
      const { groupRef, ...rest } = { ...team, ...change };
      teams.set(id, { ...rest, ...(groupRef !== undefined && { groupRef }) });
      for (const [key, { teamId, source }] of members) {
        if (teamId === id && source === "group" && groupRef !== team.groupRef) members.delete(key);
      }
      return "changed";
    },
    async setMember(teamId, { userId, level }) {
      const key = `${teamId} ${userId}`;
      const before = members.get(key);
      if (!teams.has(teamId) || !people.has(userId)) return "absent";
      if (before?.level === level && before.source === "hand") return "unchanged";
      const present = [...members.values()].filter((member) => member.teamId === teamId);
      if (!before && present.length >= TEAM_MEMBERS_MAX) return "full";
      members.set(key, { teamId, userId, level, source: "hand" });
      return "set";
    },
    removeMember: async (teamId, userId) =>
      members.delete(`${teamId} ${userId}`) ? "removed" : "absent",
  };
}

export function createMemoryServiceAccounts(registry: MemoryRegistry): ServiceAccounts {
  const { names, accounts, teams } = registry;
  return {
    async add(account) {
      if (names.has(account.name)) return "taken";
      names.add(account.name);
      accounts.set(account.id, account);
      return "added";
    },
    async find(nameOrId) {
      const text = nameOrId.toLowerCase();
      return [...accounts.values()].find(({ id, name }) => id === text || name === text);
    },
    list: async () =>
      [...accounts.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    async setState(id, state) {
      const account = accounts.get(id);
      if (!account) return "absent";
      if (account.state === state) return "unchanged";
      accounts.set(id, { ...account, state });
      return "set";
    },
    async setTeam(id, teamId) {
      const account = accounts.get(id);
      if (!account || (teamId !== undefined && !teams.has(teamId))) return "absent";
      if (account.teamId === teamId) return "unchanged";
      const { teamId: _, ...rest } = account;
      accounts.set(id, { ...rest, ...(teamId !== undefined && { teamId }) });
      return "set";
    },
  };
}
