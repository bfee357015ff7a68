import { NameTakenError } from "@sealhouse/http-responses";
import type { OwnableName } from "@sealhouse/identity";
import { hasLevel } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { announceOwners } from "./change-owners.ts";
import { insertOwner, ownerOfHolder, ownersOf, publishersIn } from "./owner-rows.ts";
import { standingOf } from "./standing.ts";

type Publishing = OwnableName & { readonly caller: Caller };

/**
 * Makes the first publisher of a new name its owner, with the level `manage`: the user, or the team
 * of a service account or policy. Tokens of the operators own nothing. Returns the handles of the
 * owners; undefined when the name has none.
 */
export async function ownNewName(
  changes: Changes,
  unit: Unit,
  { caller, ...name }: Publishing,
): Promise<readonly string[] | undefined> {
  const { holderId, ownedName } = caller;
  if (ownedName && !ownedName.isNew) return ownedName.owners;
  const present = await ownersOf(unit, name);
  if (present.length > 0 || holderId === undefined) {
    return present.length > 0 ? publishersIn(present) : undefined;
  }
  const owner = await ownerOfHolder(unit, holderId);
  if (!owner) return undefined;
  const first = { ...owner, level: "manage" } as const;
  const createdBy = storableText(caller.actor).slice(0, NAME_LENGTH.actor);
  await insertOwner(unit, { ...name, owner: first, createdAt: changes.now(), createdBy });
  await announceOwners(changes, unit, { name, by: caller, owners: [first] });
  return [first.handle];
}

/**
 * Refuses a publish that the owners of a name allowed, when they do not allow it any longer:
 * another publisher has created the name, or the publisher has lost the right since then.
 * @throws NameTakenError
 */
export async function refuseTakenName(
  { queries }: Pick<Unit, "queries">,
  { caller, ...name }: Publishing,
): Promise<void> {
  const { holderId, ownedName } = caller;
  if (!ownedName || holderId === undefined) return;
  const { level } = await standingOf(queries, name, holderId);
  if (!hasLevel(level, "publish")) throw new NameTakenError(name.name);
}
