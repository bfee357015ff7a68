import {
  POLICY_PROVIDERS,
  POLICY_STATES,
  PROTOCOLS,
  ROLES,
  SCOPES,
  scopesWithin,
} from "@sealhouse/identity";
import type { PolicyClaims, PublishPolicy } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { memberOf, membersOf } from "../identity/token-rows.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";
import { textList } from "../statements/text-list.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const TABLE_COLUMNS = [
  "id",
  "provider",
  "issuer",
  "claims",
  "pinned",
  "pin_ends_at",
  "owner_id",
  "created_by",
  "maker_id",
  "protocols",
  "patterns",
  "scopes",
  "life_seconds",
  "may_create",
  "events",
  "fixed_audience",
  "state",
  "created_at",
  "used_at",
] as const;

/** Columns of the policy alone. */
export const POLICY_COLUMNS = TABLE_COLUMNS.map((name) => `p.${name}` as const);

/** Columns of the policy, with its owner and maker, by the names of the joins. */
export const JOINED_COLUMNS = [
  ...POLICY_COLUMNS,
  "maker.state as maker_state",
  "maker.role as maker_role",
  "member.level as member_level",
  "owner_user.handle as user_handle",
  "owner_user.state as owner_state",
  "owner_user.role as owner_role",
  "owner_team.handle as team_handle",
] as const;

type JoinedColumns = {
  readonly maker_state: string | null;
  readonly maker_role: string | null;
  readonly member_level: string | null;
  readonly user_handle: string | null;
  readonly owner_state: string | null;
  readonly owner_role: string | null;
  readonly team_handle: string | null;
};

type PolicyRow = Pick<Tables["host_publish_policies"], (typeof TABLE_COLUMNS)[number]> &
  Partial<JoinedColumns>;

const INSERT = defineStatement(
  "publish-policy-insert",
  {
    id: param.text(36),
    provider: param.text(32),
    issuer: param.text(255),
    claims: param.longText,
    pinEndsAt: param.optional(param.time),
    ownerId: param.optional(param.text(36)),
    createdBy: param.text(NAME_LENGTH.actor),
    makerId: param.optional(param.text(36)),
    protocols: param.longText,
    patterns: param.longText,
    scopes: param.longText,
    lifeSeconds: param.whole,
    mayCreate: param.flag,
    events: param.longText,
    fixedAudience: param.optional(param.text(255)),
    state: param.text(16),
    createdAt: param.time,
  },
  (db, parameters) => db.insertInto("host_publish_policies").values(inColumns(parameters)),
);

export async function insertPolicy({ queries }: Unit, policy: PublishPolicy): Promise<void> {
  const { pinEndsAt, ownerId, makerId, fixedAudience } = policy;
  await queries.run(INSERT, {
    ...policy,
    pinEndsAt,
    ownerId,
    makerId,
    fixedAudience,
    claims: JSON.stringify(policy.claims),
    protocols: JSON.stringify(policy.protocols),
    patterns: JSON.stringify(policy.patterns),
    scopes: JSON.stringify(policy.scopes),
    events: JSON.stringify(policy.events),
  });
}

/** @throws UnexpectedRowError */
export function policyOf(row: PolicyRow): PublishPolicy {
  const owner = row.user_handle ?? row.team_handle ?? undefined;
  return {
    id: row.id,
    provider: memberOf("provider", row.provider, POLICY_PROVIDERS),
    issuer: row.issuer,
    claims: claimsOf(row.claims),
    protocols: membersOf("protocols", row.protocols, PROTOCOLS),
    patterns: textList(row.patterns),
    scopes: membersOf("scopes", row.scopes, SCOPES),
    lifeSeconds: row.life_seconds,
    mayCreate: row.may_create,
    events: textList(row.events),
    state: memberOf("state", row.state, POLICY_STATES),
    createdAt: row.created_at,
    createdBy: row.created_by,
    ...(row.pinned !== null && { pinned: pinnedOf(row.pinned) }),
    ...(row.pin_ends_at && { pinEndsAt: row.pin_ends_at }),
    ...(row.owner_id !== null && { ownerId: row.owner_id }),
    ...(owner !== undefined && { owner }),
    ...(row.maker_id !== null && { makerId: row.maker_id }),
    ...(isMakerGone(row) && { isMakerGone: true }),
    ...(row.fixed_audience !== null && { fixedAudience: row.fixed_audience }),
    ...(row.used_at && { usedAt: row.used_at }),
  };
}

/**
 * The maker and the user that the policy publishes for must have access and a role that publishes,
 * and the maker of a policy for a team must still be a member.
 */
function isMakerGone(row: PolicyRow): boolean {
  if ([row.owner_role, row.maker_role].some((role) => role && !publishes(role))) return true;
  if (row.owner_state && row.owner_state !== "active") return true;
  if (row.maker_id === null || row.maker_state === undefined) return false;
  if (row.maker_state !== "active") return true;
  return Boolean(row.team_handle) && !row.member_level;
}

function publishes(role: string): boolean {
  return scopesWithin(memberOf("role", role, ROLES), ["publish"]).length > 0;
}

/** Parses what `insertPolicy` wrote. The oldest rows have the issuer among the claims. */
function claimsOf(text: string): PolicyClaims {
  const { iss: _, ...claims } = JSON.parse(text) as PolicyClaims;
  return claims;
}

function pinnedOf(text: string): Readonly<Record<string, string>> {
  return JSON.parse(text) as Readonly<Record<string, string>>;
}
