import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const NAME = { name: param.text(39) };
const TAKEN = defineStatement("owner-name", NAME, (db, { name }) =>
  db.selectFrom("host_owner_names").select("owner_id").where("name", "=", name),
);
const TAKE = defineStatement(
  "owner-name-take",
  { ...NAME, kind: param.text(16), ownerId: param.text(36), at: param.time },
  (db, { name, kind, ownerId, at }) =>
    db.insertInto("host_owner_names").values({ name, kind, owner_id: ownerId, created_at: at }),
);

/** The owner of a handle. */
export type NewOwner = {
  readonly name: string;
  readonly kind: "user" | "team" | "account";
  readonly ownerId: string;
  readonly at: Date;
};

/**
 * Serializes the changes of users, teams and service accounts until the commit, so that each one
 * sees the handles, roles and states that others have set. The first statement of such a change.
 */
export async function holdPeople(changes: Changes, unit: Unit): Promise<void> {
  await changes.stale(unit, "people");
}

/** Takes a handle forever. False: another owner has it, or had it. */
export async function takeName({ queries }: Unit, owner: NewOwner): Promise<boolean> {
  if (await isTaken({ queries }, owner.name)) return false;
  await queries.run(TAKE, owner);
  return true;
}

export async function isTaken({ queries }: Pick<Unit, "queries">, name: string): Promise<boolean> {
  return (await queries.one(TAKEN, { name })) !== undefined;
}
