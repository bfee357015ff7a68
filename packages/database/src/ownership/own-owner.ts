import { sql } from "#kysely";
import type { Expression, SqlBool } from "#kysely";
import type { TeamLevel } from "@sealhouse/identity";
import { param } from "../statements/kinds.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";

/** Parameters of a name. */
export const NAME_KINDS = {
  protocol: param.text(NAME_LENGTH.protocol),
  nameKey: param.text(255),
};
/** Parameter of a user, service account or publish policy. */
export const HOLDER_KIND = { holderId: param.text(36) };

/** Whether an owner is the holder, its team, or whom its policy publishes for. */
export function isOwnOwner(
  own: Dialect,
  ownerId: Expression<string>,
  holderId: Expression<string>,
): Expression<SqlBool> {
  const isMember = sql`exists ${memberships(own, ownerId, holderId)}`;
  const ofAccount = own.db
    .selectFrom("host_service_accounts as own_s")
    .where("own_s.id", "=", holderId)
    .where("own_s.team_id", "=", ownerId)
    .select("own_s.id");
  const ofPolicy = policies(own, ownerId, holderId);
  const others = sql`${isMember} or exists ${ofAccount} or exists ${ofPolicy}`;
  return sql<SqlBool>`(${ownerId} = ${holderId} or ${others})`;
}

/**
 * Whether the holder has all rights of an owner: as the owner itself, as a manager of the team, or
 * as its policy. Other members of a team, and its service accounts, only publish.
 */
export function isFullOwner(
  own: Dialect,
  ownerId: Expression<string>,
  holderId: Expression<string>,
): Expression<SqlBool> {
  const manages = memberships(own, ownerId, holderId).where(
    "own_m.level",
    "=",
    sql.lit("manager" satisfies TeamLevel),
  );
  const others = sql`exists ${manages} or exists ${policies(own, ownerId, holderId)}`;
  return sql<SqlBool>`(${ownerId} = ${holderId} or ${others})`;
}

function memberships({ db }: Dialect, ownerId: Expression<string>, holderId: Expression<string>) {
  return db
    .selectFrom("host_team_members as own_m")
    .where("own_m.user_id", "=", holderId)
    .where("own_m.team_id", "=", ownerId)
    .select("own_m.team_id");
}

function policies({ db }: Dialect, ownerId: Expression<string>, holderId: Expression<string>) {
  return db
    .selectFrom("host_publish_policies as own_p")
    .where("own_p.id", "=", holderId)
    .where("own_p.owner_id", "=", ownerId)
    .select("own_p.id");
}
