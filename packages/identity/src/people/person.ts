/** Upper limit of the rights of a person: to read, to publish, or to administer the registry. */
export type Role = "consumer" | "publisher" | "administrator";

/** From the fewest rights to the most. */
export const ROLES = ["consumer", "publisher", "administrator"] as const satisfies readonly Role[];

/**
 * `pending` waits for an administrator's approval. `suspended` is no longer a member at the
 * identity provider, and becomes active again by a sign-in or an approval. An administrator
 * `blocked` the user.
 */
export type UserState = "pending" | "active" | "suspended" | "blocked";

/** In display order. */
export const USER_STATES = [
  "pending",
  "active",
  "suspended",
  "blocked",
] as const satisfies readonly UserState[];

/** Whether groups of the identity provider decide about a role, or an administrator. */
export type RoleSource = "group" | "hand";

/** A user of the registry. */
export type Person = {
  /** UUID. */
  readonly id: string;
  /** The public name; never changes, and never becomes that of another owner. */
  readonly handle: string;
  readonly displayName: string;
  /** For people and mail only: it never decides about access. */
  readonly email?: string;
  readonly role: Role;
  readonly roleSource: RoleSource;
  readonly state: UserState;
  /** Why the state is not `active`; a sentence. */
  readonly reason?: string;
  /** Sessions with a lower number have ended. */
  readonly epoch: number;
  readonly createdAt: Date;
  /** When the provider last confirmed the membership. */
  readonly validatedAt?: Date;
  readonly lastSignInAt?: Date;
  /** Whether the last sign-in had a second factor; undefined when the provider did not tell. */
  readonly hasSecondFactor?: boolean;
};
