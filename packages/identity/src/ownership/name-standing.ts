/** Right on a name. Each one includes those before it. */
export type Level = "read" | "publish" | "manage";

/** From the fewest rights to the most. */
export const LEVELS = ["read", "publish", "manage"] as const satisfies readonly Level[];

/** Who may publish a name that has no owner and that no reservation covers. */
export type NewNames = "anyone" | "reserved";

/** `shared`: a reservation of others that lets all publishers publish below it. */
export type ReservationStanding = "none" | "own" | "shared" | "others";

/** Rights of one caller on one name. */
export type NameStanding = {
  /** Whether versions or images of the name were published here. */
  readonly exists: boolean;
  /** The highest level of the caller, by itself or as far as its teams allow it. */
  readonly level?: Level;
  /** Handles of the owners who publish, in alphabetical order. */
  readonly owners: readonly string[];
  /** Whether the name has owners. It may have them before it exists. */
  readonly isOwned: boolean;
  readonly reservation: ReservationStanding;
  /** False for a service account without a team, and for a policy that creates no names. */
  readonly mayCreate: boolean;
};

/** Ownership as far as it decides about one request. */
export type NameAccess = { readonly standing: NameStanding; readonly newNames: NewNames };

/** Whether a level includes another one. */
export function hasLevel(level: Level | undefined, required: Level): boolean {
  return level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(required);
}

/** Returns the level with fewer rights. */
export function lowerLevel(one: Level, other: Level): Level {
  return hasLevel(one, other) ? other : one;
}

/** Whether a publish would create the name. */
export function isNewName({ exists, isOwned }: NameStanding): boolean {
  return !exists && !isOwned;
}
