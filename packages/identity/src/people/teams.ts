import type { Caller } from "@sealhouse/request-types";
import type { Level } from "../ownership/name-standing.ts";

/** A manager may change the names that the team owns; a member publishes to them. */
export type TeamLevel = "member" | "manager";

/** In order of rights. */
export const TEAM_LEVELS = ["member", "manager"] as const satisfies readonly TeamLevel[];

/** The most that a user may do with a name of its team. */
export const MEMBER_RIGHTS = {
  member: "publish",
  manager: "manage",
} as const satisfies Readonly<Record<TeamLevel, Level>>;

/** Users that own names together. */
export type Team = {
  /** UUID. */
  readonly id: string;
  /** Shares one namespace with users and service accounts, and never changes. */
  readonly handle: string;
  readonly displayName: string;
  /** Group of the identity provider whose members belong to the team. */
  readonly groupRef?: string;
  readonly createdAt: Date;
};

/** A user in a team. */
export type TeamMember = {
  readonly userId: string;
  readonly handle: string;
  readonly displayName: string;
  readonly level: TeamLevel;
  /** Whether the group of the provider decides, or an administrator. */
  readonly source: "group" | "hand";
};

/** Members of a team. Members from the group of a provider count, but are never refused. */
export const TEAM_MEMBERS_MAX = 1_000;

/** A change of a team; an absent field stays. Undefined ends that a group decides about members. */
export type TeamChange = {
  readonly displayName?: string;
  readonly groupRef?: string | undefined;
};

/** Teams. Each change and its event are one transaction. */
export interface Teams {
  /** `taken`: the handle belongs to another owner. */
  add(team: Team, by: Caller): Promise<"added" | "taken">;
  /** By handle or id. */
  find(handleOrId: string): Promise<Team | undefined>;
  /** In order of their handles. */
  list(): Promise<readonly Team[]>;
  /** In order of their handles. */
  members(id: string): Promise<readonly TeamMember[]>;
  /** Another group removes the members that the former group gave. */
  change(id: string, change: TeamChange, by: Caller): Promise<"changed" | "absent">;
  /**
   * Adds a member by hand, or changes its level. `absent`: unknown team or user. `full`: the team
   * has `TEAM_MEMBERS_MAX` members.
   */
  setMember(
    id: string,
    member: { readonly userId: string; readonly level: TeamLevel },
    by: Caller,
  ): Promise<"set" | "unchanged" | "absent" | "full">;
  removeMember(id: string, userId: string, by: Caller): Promise<"removed" | "absent">;
}
