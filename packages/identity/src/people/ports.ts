import type { Caller } from "@sealhouse/request-types";
import type { MembershipCheck, VerifiedPerson } from "../sign-in/provider.ts";
import type { Person, Role, RoleSource, UserState } from "./person.ts";
import type { Team, TeamMember } from "./teams.ts";

/** A sign-in that the provider confirmed. */
export type NewArrival = {
  readonly verified: VerifiedPerson;
  /** The grant, encrypted with the key ring. */
  readonly sealedGrant?: Uint8Array;
  /** Handle of a new user; a number is added when it is taken. */
  readonly handle: string;
  /** Role of a new user without a role from groups. */
  readonly role: Role;
  /** State of a new user: `pending` when new users require approval. */
  readonly state: "active" | "pending";
  readonly at: Date;
  /** Network address of the browser. */
  readonly address?: string;
};

/** Outcome of a sign-in. A blocked or pending user gets no session. */
export type Arrival = { readonly person: Person; readonly isNew: boolean };

/** A new user that an administrator adds before the first sign-in, or without a provider. */
export type NewPerson = Pick<Person, "id" | "handle" | "displayName" | "role" | "email">;

/** A user whose membership must be checked. */
export type DueCheck = {
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly sealedGrant?: Uint8Array;
  readonly roleSource: RoleSource;
  /** When the provider last confirmed the membership. */
  readonly validatedAt?: Date;
};

/** Users. Each change and its event are one transaction. */
export interface People {
  /** Finds or adds the user of an account, and follows its role from groups. */
  arrive(arrival: NewArrival): Promise<Arrival>;
  /** `taken`: the handle belongs to another owner. */
  add(person: NewPerson, at: Date, by: Caller): Promise<"added" | "taken">;
  /** By handle or id. */
  find(handleOrId: string): Promise<Person | undefined>;
  /** In order of their handles. */
  list(): Promise<readonly Person[]>;
  /**
   * Sets a role by hand. `group`: groups of the provider decide again, from the next sign-in or
   * check on. `last`: no active administrator would be left.
   */
  setRole(
    id: string,
    role: Role | "group",
    by: Caller,
  ): Promise<"set" | "unchanged" | "absent" | "last">;
  /** Ends all sessions of the user when the state is not `active`. */
  setState(
    id: string,
    change: { readonly state: UserState; readonly reason?: string },
    by: Caller,
  ): Promise<"set" | "unchanged" | "absent" | "last">;
  /**
   * Ends a block. The user is `pending` again when it waited for approval before, `suspended` when
   * the provider said that it is gone, and else `active`.
   */
  unblock(id: string, by: Caller): Promise<"set" | "unchanged" | "absent">;
}

/** Lists of users that cost as much as what they return. */
export interface PeoplePages {
  /** In order of their handles, after a handle, and at most `limit`. */
  page(page: {
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<readonly Person[]>;
}

/** An account at an identity provider that belongs to a user. */
export type ProviderAccount = {
  readonly userId: string;
  readonly issuer: string;
  /** Login or address, as the provider reported it last. */
  readonly shown: string;
};

/** A team of a user. */
export type UserTeam = Pick<TeamMember, "level" | "source"> & Pick<Team, "handle" | "displayName">;

/** Facts about users that pages show. */
export interface UserDetails {
  /** Accounts of these users, in no order. */
  accounts(userIds: readonly string[]): Promise<readonly ProviderAccount[]>;
  /** In order of their handles. */
  teams(userId: string): Promise<readonly UserTeam[]>;
}

/** Checks of memberships, each by one instance at a time. */
export interface MembershipChecks {
  /**
   * Claims active users whose last check is older than `before`, oldest first, at most `most`. No
   * other instance claims them before `until`. With `userIds`, only these users.
   */
  claim(due: {
    readonly before: Date;
    readonly until: Date;
    readonly most: number;
    readonly userIds?: readonly string[];
  }): Promise<readonly DueCheck[]>;
  /**
   * Stores an outcome of a claimed user, follows the role and the groups, and suspends who is gone.
   * Who is `unknown` stays due, and claimed. Ignores users who signed in since the claim. True when
   * the last active administrator has lost the role or the access by it.
   */
  record(
    checked: Pick<DueCheck, "userId" | "issuer" | "subject">,
    result: {
      readonly check: MembershipCheck;
      readonly sealedGrant?: Uint8Array;
      readonly at: Date;
    },
  ): Promise<boolean>;
  /** Returns the id of the user whom an account signs in; undefined for an unknown account. */
  userOf(account: Pick<DueCheck, "issuer" | "subject">): Promise<string | undefined>;
}
