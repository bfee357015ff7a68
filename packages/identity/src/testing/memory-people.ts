import { randomUUID } from "node:crypto";
import type { VerifiedPerson } from "../sign-in/provider.ts";
import { handleProblem, numberedHandle } from "../people/handle.ts";
import type { Person } from "../people/person.ts";
import type {
  Arrival,
  MembershipChecks,
  NewArrival,
  People,
  PeoplePages,
  UserDetails,
} from "../people/ports.ts";
import { createMemoryServiceAccounts, createMemoryTeams } from "./memory-teams.ts";
import type { PeoplePorts } from "./test-people.ts";
import type { MemoryRegistry } from "./memory-registry.ts";

const GONE_REASON = "The user is no longer a member of the organization.";

/** Users, teams and service accounts in memory, under the same contract as the databases. */
export function createMemoryPeople(now: () => Date = () => new Date()): PeoplePorts {
  const registry: MemoryRegistry = {
    names: new Set(),
    people: new Map(),
    blockedFrom: new Map(),
    identities: new Map(),
    teams: new Map(),
    members: new Map(),
    accounts: new Map(),
  };
  return {
    people: createPeople(registry),
    userDetails: createDetails(registry),
    membershipChecks: createChecks(registry, now),
    teams: createMemoryTeams(registry),
    serviceAccounts: createMemoryServiceAccounts(registry),
  };
}

function createPeople(registry: MemoryRegistry): People & PeoplePages {
  const { names, people } = registry;
  return {
    arrive: async (arrival) => arrive(registry, arrival),
    async add({ id, handle, displayName, role, email }, createdAt) {
      if (names.has(handle)) return "taken";
      names.add(handle);
      const state = { roleSource: "hand", state: "active", epoch: 0, createdAt } as const;
      const person = { id, handle, displayName, role, ...(email !== undefined && { email }) };
      people.set(id, { ...person, ...state });
      return "added";
    },
    async find(handleOrId) {
      const text = handleOrId.toLowerCase();
      return [...people.values()].find(({ id, handle }) => id === text || handle === text);
    },
    list: async () => inOrder(people.values()),
    page: async ({ after = "", limit }) =>
      inOrder(people.values())
        .filter(({ handle }) => handle > after)
        .slice(0, limit),
    async setRole(id, role) {
      const person = people.get(id);
      if (!person) return "absent";
      if (role === "group") {
        people.set(id, { ...person, roleSource: "group" });
        return person.roleSource === "group" ? "unchanged" : "set";
      }
      if (person.role === role && person.roleSource === "hand") return "unchanged";
      if (role !== "administrator" && isLastAdministrator(registry, person)) return "last";
      people.set(id, { ...person, role, roleSource: "hand" });
      return "set";
    },
    async setState(id, { state, reason }) {
      const person = people.get(id);
      if (!person) return "absent";
      if (person.state === state) return "unchanged";
      if (state !== "active" && isLastAdministrator(registry, person)) return "last";
      setState(registry, person, { state, reason });
      return "set";
    },
    async unblock(id) {
      const person = people.get(id);
      if (!person) return "absent";
      if (person.state !== "blocked") return "unchanged";
      const isGone = [...registry.identities.values()].some(
        (identity) => identity.userId === id && identity.isGone,
      );
      const after = registry.blockedFrom.get(id) === "pending" ? "pending" : "active";
      const state = after === "active" && isGone ? "suspended" : after;
      setState(registry, person, { state, ...(state === "suspended" && { reason: GONE_REASON }) });
      return "set";
    },
  };
}

function createDetails({ identities, teams, members }: MemoryRegistry): UserDetails {
  return {
    accounts: async (userIds) =>
      [...identities.values()]
        .filter(({ userId }) => userIds.includes(userId))
        .map(({ userId, issuer, shown }) => ({ userId, issuer, shown })),
    teams: async (userId) =>
      [...members.values()]
        .filter((member) => member.userId === userId)
        .flatMap(({ teamId, level, source }) => {
          const team = teams.get(teamId);
          if (!team) return [];
          return [{ handle: team.handle, displayName: team.displayName, level, source }];
        })
        .toSorted((one, other) => (one.handle < other.handle ? -1 : 1)),
  };
}

function arrive(registry: MemoryRegistry, arrival: NewArrival): Arrival {
  const { verified, at, sealedGrant } = arrival;
  const { issuer, subject, shown } = verified;
  const known = registry.identities.get(keyOf(verified));
  const userId = known?.userId ?? addArrived(registry, arrival);
  registry.identities.set(keyOf(verified), {
    userId,
    issuer,
    subject,
    shown,
    checkedAt: at,
    ...(sealedGrant && { sealedGrant }),
  });
  const before = requirePerson(registry, userId);
  const { displayName, email, hasSecondFactor } = verified;
  const { email: _, hasSecondFactor: __, ...rest } = before;
  registry.people.set(userId, {
    ...rest,
    displayName,
    ...(email !== undefined && { email }),
    validatedAt: at,
    lastSignInAt: at,
    ...(hasSecondFactor !== undefined && { hasSecondFactor }),
  });
  followGroups(registry, userId, verified);
  const person = requirePerson(registry, userId);
  if (person.state === "suspended") setState(registry, person, { state: "active" });
  return { person: requirePerson(registry, userId), isNew: !known };
}

function addArrived(registry: MemoryRegistry, arrival: NewArrival): string {
  const { verified, role, state, at } = arrival;
  const base = handleProblem(arrival.handle) === undefined ? arrival.handle : "user";
  let handle = base;
  for (let number = 2; registry.names.has(handle); number++) handle = numberedHandle(base, number);
  registry.names.add(handle);
  const id = randomUUID();
  const { displayName } = verified;
  const person = { id, handle, displayName, role: verified.role ?? role, state };
  registry.people.set(id, { ...person, roleSource: "group", epoch: 0, createdAt: at });
  return id;
}

function createChecks(registry: MemoryRegistry, now: () => Date): MembershipChecks {
  const { identities, people } = registry;
  return {
    async claim({ before, until, most, userIds }) {
      const due = [...identities.values()]
        .filter(({ userId, checkedAt, claimedUntil }) => {
          const isFree = !claimedUntil || claimedUntil <= now();
          const isMeant = userIds?.includes(userId) ?? true;
          return isFree && isMeant && checkedAt < before && people.get(userId)?.state === "active";
        })
        .toSorted((one, other) => one.checkedAt.getTime() - other.checkedAt.getTime())
        .slice(0, most);
      for (const identity of due) {
        identities.set(keyOf(identity), { ...identity, claimedUntil: until });
      }
      return due.map(({ userId, issuer, subject, sealedGrant }) => {
        const { roleSource, validatedAt } = requirePerson(registry, userId);
        const check = { userId, issuer, subject, roleSource, ...(sealedGrant && { sealedGrant }) };
        return { ...check, ...(validatedAt && { validatedAt }) };
      });
    },
    async record(checked, { check, sealedGrant, at }) {
      const identity = identities.get(keyOf(checked));
      if (!identity?.claimedUntil || check.outcome === "unknown") return false;
      const { claimedUntil: _, isGone: __, sealedGrant: grant, ...rest } = identity;
      const person = requirePerson(registry, checked.userId);
      const wasLast = isLastAdministrator(registry, person);
      if (check.outcome === "gone") {
        identities.set(keyOf(checked), { ...rest, checkedAt: at, isGone: true });
        if (person.state !== "active") return false;
        setState(registry, person, { state: "suspended", reason: check.reason });
        return wasLast;
      }
      const newest = sealedGrant ?? grant;
      const kept = { ...rest, checkedAt: at, ...(newest && { sealedGrant: newest }) };
      identities.set(keyOf(checked), kept);
      people.set(person.id, { ...person, validatedAt: at });
      followGroups(registry, person.id, check);
      return wasLast && people.get(person.id)?.role !== "administrator";
    },
    userOf: async (account) => identities.get(keyOf(account))?.userId,
  };
}

function followGroups(
  { people, teams, members }: MemoryRegistry,
  userId: string,
  { role, groups }: Pick<VerifiedPerson, "role" | "groups">,
): void {
  const person = people.get(userId);
  if (person && role !== undefined && person.roleSource === "group") {
    people.set(userId, { ...person, role });
  }
  for (const { id, groupRef } of teams.values()) {
    if (groupRef === undefined) continue;
    const key = `${id} ${userId}`;
    const belongs = groups.some((group) => group.toLowerCase() === groupRef.toLowerCase());
    if (belongs && !members.has(key)) {
      members.set(key, { teamId: id, userId, level: "member", source: "group" });
    }
    if (!belongs && members.get(key)?.source === "group") members.delete(key);
  }
}

function setState(
  { people, blockedFrom }: MemoryRegistry,
  person: Person,
  { state, reason }: { readonly state: Person["state"]; readonly reason?: string | undefined },
): void {
  const { reason: _, ...rest } = person;
  if (state === "blocked") blockedFrom.set(person.id, person.state);
  const epoch = state === "active" ? person.epoch : person.epoch + 1;
  people.set(person.id, { ...rest, state, epoch, ...(reason !== undefined && { reason }) });
}

function isLastAdministrator({ people }: MemoryRegistry, person: Person): boolean {
  const isAdministrator = ({ role, state }: Person) =>
    role === "administrator" && state === "active";
  const others = [...people.values()].filter(({ id }) => id !== person.id);
  return isAdministrator(person) && !others.some(isAdministrator);
}

function requirePerson({ people }: MemoryRegistry, id: string): Person {
  const person = people.get(id);
  if (!person) throw new Error(`There is no user ${id}.`);
  return person;
}

function keyOf({ issuer, subject }: { readonly issuer: string; readonly subject: string }): string {
  return JSON.stringify([issuer, subject]);
}

function inOrder(people: Iterable<Person>): readonly Person[] {
  return [...people].toSorted((one, other) => (one.handle < other.handle ? -1 : 1));
}
