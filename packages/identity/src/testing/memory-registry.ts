import type { Person } from "../people/person.ts";
import type { ServiceAccount } from "../people/service-accounts.ts";
import type { Team, TeamMember } from "../people/teams.ts";

/** The rows of people in memory. */
export type MemoryRegistry = {
  /** Handles of all users, teams and service accounts. */
  readonly names: Set<string>;
  readonly people: Map<string, Person>;
  /** States of blocked users before the block, by their ids. */
  readonly blockedFrom: Map<string, Person["state"]>;
  readonly identities: Map<string, MemoryIdentity>;
  readonly teams: Map<string, Team>;
  /** By the ids of team and user. */
  readonly members: Map<string, MemoryMember>;
  readonly accounts: Map<string, ServiceAccount>;
};

type MemoryIdentity = {
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly shown: string;
  readonly sealedGrant?: Uint8Array;
  readonly isGone?: true;
  readonly checkedAt: Date;
  readonly claimedUntil?: Date;
};

type MemoryMember = Pick<TeamMember, "userId" | "level" | "source"> & { readonly teamId: string };
