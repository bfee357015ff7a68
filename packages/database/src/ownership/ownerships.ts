import { hasLevel } from "@sealhouse/identity";
import type { OwnerLevel, Ownerships } from "@sealhouse/identity";
import { LEVELS, PROTOCOLS } from "@sealhouse/identity";
import { memberOf } from "../identity/token-rows.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { changeOwners } from "./change-owners.ts";
import { findOwner, handleOf, ownersOf } from "./owner-rows.ts";
import { standingOf } from "./standing.ts";

const NAMES = defineStatement("names-of-owner", { ownerId: param.text(36) }, (db, { ownerId }) =>
  db
    .selectFrom("ownerships")
    .where("owner_id", "=", ownerId)
    .select(["protocol", "name_key", "level"])
    .orderBy("protocol")
    .orderBy("name_key"),
);

export function createOwnerships(context: Pick<PortContext, "queries" | "changes">): Ownerships {
  const { queries, changes } = context;
  return {
    standing: (name, holderId) => standingOf(queries, name, holderId),
    list: (name) => ownersOf({ queries }, name),
    async names(ownerId) {
      return (await queries.all(NAMES, { ownerId })).map((row) => ({
        protocol: memberOf("protocol", row.protocol, PROTOCOLS),
        name: row.name_key,
        level: memberOf("level", row.level, LEVELS),
      }));
    },
    grant: (name, owner, by) =>
      changes.transaction(async (unit) => {
        const handle = await handleOf(unit, owner.id);
        const next = (present: readonly OwnerLevel[]) => withOwner(present, { ...owner, handle });
        const outcome = await changeOwners(changes, unit, { name, by, next });
        return outcome === "changed" ? "granted" : outcome;
      }),
    revoke: (name, ownerId, by) =>
      changes.transaction(async (unit) => {
        const next = (present: readonly OwnerLevel[]) => present.filter(({ id }) => id !== ownerId);
        const outcome = await changeOwners(changes, unit, { name, by, next });
        return outcome === "changed" ? "revoked" : outcome === "last" ? "last" : "absent";
      }),
    find: (handle) => findOwner({ queries }, handle),
  };
}

/** Adds an owner, or sets its level. */
export function withOwner(
  present: readonly OwnerLevel[],
  owner: OwnerLevel,
): readonly OwnerLevel[] {
  return [...present.filter(({ id }) => id !== owner.id), owner];
}

/** Whether the owners of a name include one with at least this level. */
export function includesLevel(
  owners: readonly OwnerLevel[],
  { id, level }: Pick<OwnerLevel, "id" | "level">,
): boolean {
  return owners.some((owner) => owner.id === id && hasLevel(owner.level, level));
}
