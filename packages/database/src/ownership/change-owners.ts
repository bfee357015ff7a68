import type { Caller } from "@sealhouse/request-types";
import { OWNERS_OF_NAME_MAX } from "@sealhouse/identity";
import type { OwnableName, OwnerLevel } from "@sealhouse/identity";
import { saltedDigest } from "@sealhouse/events";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { dropOwner, insertOwner, ownersOf, publishersIn, setLevel } from "./owner-rows.ts";
import { showOwners } from "./show-owners.ts";

/** A change of the owners of a name: from the present ones to those that it shall have. */
export type OwnerChange = {
  readonly name: OwnableName;
  readonly by: Caller;
  readonly next: (present: readonly OwnerLevel[]) => readonly OwnerLevel[];
  /** Id of the accepted transfer that changes them. */
  readonly transfer?: string;
};

/**
 * Changes the owners of a name, in rows and documents, with its event. `last`: none with the level
 * `manage` would be left, although there was one. `full`: there would be more than
 * `OWNERS_OF_NAME_MAX`.
 */
export async function changeOwners(
  changes: Changes,
  unit: Unit,
  { name, by, next, transfer }: OwnerChange,
): Promise<"changed" | "unchanged" | "last" | "full"> {
  unit.askedBy(by);
  // Changes of the owners of one name wait for each other.
  await changes.stale(unit, `${name.protocol}/${name.name}`);
  const present = await ownersOf(unit, name);
  const wanted = next(present);
  if (isSame(present, wanted)) return "unchanged";
  if (present.some(manages) && !wanted.some(manages)) return "last";
  // A name that has more from before may still lose some.
  if (wanted.length > Math.max(OWNERS_OF_NAME_MAX, present.length)) return "full";
  const createdBy = storableText(by.actor).slice(0, NAME_LENGTH.actor);
  for (const owner of wanted) {
    const before = present.find(({ id }) => id === owner.id);
    if (!before) await insertOwner(unit, { ...name, owner, createdAt: changes.now(), createdBy });
    else if (before.level !== owner.level) await setLevel(unit, name, owner);
  }
  for (const { id } of present) {
    if (!wanted.some((owner) => owner.id === id)) await dropOwner(unit, name, id);
  }
  const owners = wanted.toSorted((a, b) => (a.handle < b.handle ? -1 : 1));
  await showOwners(changes, unit, name, owners);
  const change = { name, by, owners, before: present };
  await announceOwners(changes, unit, transfer === undefined ? change : { ...change, transfer });
  return "changed";
}

function manages({ level }: OwnerLevel): boolean {
  return level === "manage";
}

function isSame(some: readonly OwnerLevel[], others: readonly OwnerLevel[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, level }) => others.some((other) => other.id === id && other.level === level))
  );
}

/** Writes the event of changed owners. */
export async function announceOwners(
  changes: Changes,
  unit: Unit,
  {
    name,
    by: caller,
    owners,
    before,
    transfer,
  }: Omit<OwnerChange, "next"> & {
    readonly owners: readonly OwnerLevel[];
    /** Undefined for the owner of a new name. */
    readonly before?: readonly OwnerLevel[];
  },
): Promise<void> {
  await changes.event(unit, {
    type: "package.owners-changed",
    subject: `${name.protocol}/${name.name}`,
    caller,
    detail: {
      maintainers: publishersIn(owners),
      levels: levelsOf(owners),
      set: saltedDigest(owners.map(({ handle, level }) => `${handle} ${level}`)),
      ...(before && { before: levelsOf(before) }),
      ...(transfer !== undefined && { transfer }),
    },
  });
}

function levelsOf(owners: readonly OwnerLevel[]): Readonly<Record<string, string>> {
  return Object.fromEntries(owners.map(({ handle, level }) => [handle, level]));
}
