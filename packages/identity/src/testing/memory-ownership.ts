import { endedDelegations, mayDelegate } from "../ownership/delegations.ts";
import { LEVELS, hasLevel, lowerLevel } from "../ownership/name-standing.ts";
import { OWNERS_OF_NAME_MAX } from "../ownership/owner-limits.ts";
import type { Level, NameStanding } from "../ownership/name-standing.ts";
import type {
  OwnableName,
  Owner,
  OwnerLevel,
  Ownerships,
  Reservation,
  Reservations,
  Transfer,
  Transfers,
} from "../ownership/ports.ts";
import { prefixesOf } from "../ownership/reserved-pattern.ts";
import { MEMBER_RIGHTS } from "../people/teams.ts";
import type { TeamLevel } from "../people/teams.ts";
import type { OwnershipParts } from "./ownership-contract.ts";

type Membership = { readonly teamId: string; readonly level: TeamLevel };

type Memory = {
  readonly owners: Map<string, Owner>;
  /** Teams by user or service account. */
  readonly teams: Map<string, readonly Membership[]>;
  readonly lonely: Set<string>;
  readonly rights: Map<string, readonly OwnerLevel[]>;
  readonly reserved: Map<number, Reservation>;
  readonly administrators: Set<string>;
  readonly open: Map<string, Offer>;
  readonly decided: Set<string>;
};

type Offer = Transfer & { readonly makerId?: string };

/** Ports of ownership in memory, without events. */
export function createMemoryOwnership(now: () => Date = () => new Date()): OwnershipParts {
  const memory: Memory = {
    owners: new Map(),
    teams: new Map(),
    lonely: new Set(),
    rights: new Map(),
    reserved: new Map(),
    administrators: new Set(),
    open: new Map(),
    decided: new Set(),
  };
  const join = (id: string, membership: Membership) =>
    memory.teams.set(id, [...(memory.teams.get(id) ?? []), membership]);
  return {
    ownerships: memoryOwnerships(memory),
    reservations: memoryReservations(memory, now),
    transfers: memoryTransfers(memory, now),
    async addOwner(owner, role) {
      memory.owners.set(owner.id, owner);
      if (role === "administrator") memory.administrators.add(owner.id);
    },
    addMember: async (teamId, userId, level) => void join(userId, { teamId, level }),
    async addAccount(accountId, teamId) {
      if (teamId === undefined) memory.lonely.add(accountId);
      else join(accountId, { teamId, level: "member" });
    },
  };
}

const keyOf = ({ protocol, name }: OwnableName) => `${protocol}/${name}`;

function memoryOwnerships(memory: Memory): Ownerships {
  const listed = (name: OwnableName) => memory.rights.get(keyOf(name)) ?? [];
  return {
    standing: async (name, holderId) => standingIn(memory, name, holderId),
    list: async (name) => listed(name),
    names: async (ownerId) =>
      [...memory.rights].flatMap(([key, owners]) => {
        const [, protocol = "", name = ""] = /^(\w+)\/(.+)$/.exec(key) ?? [];
        return owners
          .filter(({ id }) => id === ownerId)
          .map(({ level }) => ({ protocol: protocol as OwnableName["protocol"], name, level }));
      }),
    async grant(name, { id, kind, level }) {
      const { handle = id } = memory.owners.get(id) ?? {};
      const outcome = change(memory, name, (present) =>
        withOwner(present, { id, kind, handle, level }),
      );
      return outcome === "changed" ? "granted" : outcome;
    },
    async revoke(name, ownerId) {
      if (!listed(name).some(({ id }) => id === ownerId)) return "absent";
      const outcome = change(memory, name, (present) => present.filter(({ id }) => id !== ownerId));
      return outcome === "last" ? "last" : "revoked";
    },
    find: async (handle) =>
      [...memory.owners.values()].find((owner) => owner.handle === handle.toLowerCase()),
  };
}

function withOwner(present: readonly OwnerLevel[], owner: OwnerLevel): readonly OwnerLevel[] {
  return [...present.filter(({ id }) => id !== owner.id), owner];
}

function change(
  { rights }: Memory,
  name: OwnableName,
  next: (present: readonly OwnerLevel[]) => readonly OwnerLevel[],
): "changed" | "unchanged" | "last" | "full" {
  const present = rights.get(keyOf(name)) ?? [];
  const wanted = next(present).toSorted((a, b) => (a.handle < b.handle ? -1 : 1));
  if (JSON.stringify(present) === JSON.stringify(wanted)) return "unchanged";
  const manages = ({ level }: OwnerLevel) => level === "manage";
  if (present.some(manages) && !wanted.some(manages)) return "last";
  if (wanted.length > Math.max(OWNERS_OF_NAME_MAX, present.length)) return "full";
  rights.set(keyOf(name), wanted);
  return "changed";
}

function standingIn(memory: Memory, name: OwnableName, holderId: string): NameStanding {
  const teams = memory.teams.get(holderId) ?? [];
  const own = [holderId, ...teams.map(({ teamId }) => teamId)];
  const owners = memory.rights.get(keyOf(name)) ?? [];
  const levels = owners
    .filter(({ id }) => own.includes(id))
    .map((owner) => {
      const membership = teams.find(({ teamId }) => teamId === owner.id);
      return membership ? lowerLevel(owner.level, MEMBER_RIGHTS[membership.level]) : owner.level;
    });
  const level = LEVELS.findLast((candidate: Level) => levels.includes(candidate));
  const handles = owners.filter((owner) => owner.level !== "read").map(({ handle }) => handle);
  return {
    exists: false,
    ...(level && { level }),
    owners: handles,
    isOwned: owners.length > 0,
    reservation: reservationIn(memory, name, own),
    mayCreate: !memory.lonely.has(holderId),
  };
}

function reservationIn(
  { reserved }: Memory,
  { protocol, name }: OwnableName,
  own: readonly string[],
) {
  const prefixes = prefixesOf(protocol, name);
  const all = [...reserved.values()].filter(
    (reservation) =>
      reservation.protocol === protocol &&
      (reservation.isPrefix
        ? prefixes.includes(reservation.pattern)
        : reservation.pattern === name),
  );
  const exact = all.filter(({ isPrefix }) => !isPrefix);
  const longest = Math.max(0, ...all.map(({ pattern }) => pattern.length));
  const closest =
    exact.length > 0 ? exact : all.filter(({ pattern }) => pattern.length === longest);
  if (closest.length === 0) return "none";
  if (closest.some(({ owner }) => own.includes(owner.id))) return "own";
  return closest.some(({ isShared }) => isShared) ? "shared" : "others";
}

function memoryReservations({ reserved, owners }: Memory, now: () => Date): Reservations {
  return {
    list: async () => [...reserved.values()],
    async add(reservation) {
      const { protocol, pattern } = reservation;
      const isPresent = [...reserved.values()].some(
        (other) =>
          other.protocol === protocol &&
          other.pattern === pattern &&
          other.owner.id === reservation.owner.id,
      );
      if (isPresent) return "present";
      const isDelegated = reservation.delegatedFrom !== undefined;
      if (isDelegated && !mayDelegate([...reserved.values()], reservation)) return "outside";
      const id = Math.max(0, ...reserved.keys()) + 1;
      const { handle = "" } = owners.get(reservation.owner.id) ?? {};
      const owner = { ...reservation.owner, handle };
      reserved.set(id, { ...reservation, id, owner, createdAt: now() });
      return "added";
    },
    async remove(id) {
      const named = reserved.get(id);
      if (!named) return [];
      const removed = [named, ...endedDelegations([...reserved.values()], named)];
      for (const reservation of removed) reserved.delete(reservation.id);
      return removed.map(({ owner: { handle }, ...reservation }) => ({ ...reservation, handle }));
    },
  };
}

function mayStillOffer(memory: Memory, name: OwnableName, makerId: string | undefined): boolean {
  if (makerId === undefined || memory.administrators.has(makerId)) return true;
  return standingIn(memory, name, makerId).level === "manage";
}

function memoryTransfers(memory: Memory, now: () => Date): Transfers {
  const { open, decided, owners } = memory;
  const openNow = () => [...open.values()].filter(({ expiresAt }) => expiresAt > now());
  const decide = (id: string, work: (transfer: Offer) => "done" | "ended" | "full") => {
    if (decided.has(id)) return "ended";
    const transfer = open.get(id);
    if (!transfer) return "absent";
    const outcome = transfer.expiresAt <= now() ? "ended" : work(transfer);
    if (outcome !== "done") return outcome;
    open.delete(id);
    decided.add(id);
    return "done";
  };
  return {
    async offer({ toId, ...transfer }, by) {
      const { name } = transfer;
      const isSame = (other: Transfer) => keyOf(other.name) === keyOf(name) && other.to.id === toId;
      if (openNow().some(isSame)) return "present";
      const to = owners.get(toId) ?? { id: toId, kind: "user", handle: toId };
      const { actor: createdBy, holderId: makerId } = by;
      const made = { createdAt: now(), createdBy, ...(makerId !== undefined && { makerId }) };
      open.set(transfer.id, { ...transfer, to, ...made });
      return "offered";
    },
    list: async () => openNow(),
    listOf: async (name) => openNow().filter((offer) => keyOf(offer.name) === keyOf(name)),
    listTo: async (receivers) => openNow().filter(({ to }) => receivers.includes(to.id)),
    accept: async (id) =>
      decide(id, ({ name, fromId, to, level, makerId }) => {
        if (!mayStillOffer(memory, name, makerId)) return "ended";
        const present = memory.rights.get(keyOf(name)) ?? [];
        const sender = present.find((owner) => owner.id === fromId);
        if (fromId !== undefined && !hasLevel(sender?.level, level)) return "ended";
        const next = () =>
          withOwner(
            present.filter((owner) => owner.id !== fromId),
            { ...to, level },
          );
        const outcome = change(memory, name, next);
        return outcome === "full" ? "full" : outcome === "last" ? "ended" : "done";
      }),
    decline: async (id) => decide(id, () => "done"),
  };
}
