import { sql } from "#kysely";
import type { Expression, SelectQueryBuilder, SqlBool } from "#kysely";
import { LEVELS, lowerLevel, prefixesOf } from "@sealhouse/identity";
import type { Level, NameStanding, OwnableName, ReservationStanding } from "@sealhouse/identity";
import { memberOf } from "../identity/token-rows.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Dialect } from "../statements/dialects/dialect.ts";
import { manifestsOf } from "../oci/oci-rows.ts";
import { HOLDER_KIND, NAME_KINDS, isFullOwner, isOwnOwner } from "./own-owner.ts";

const KINDS = { ...NAME_KINDS, ...HOLDER_KIND, candidates: param.texts };
type Given = Parameters<typeof KINDS>;

/**
 * One row of the answer; what its columns mean depends on `kind`. `open` of an owner: the holder
 * has all of its rights.
 */
type Part = {
  readonly kind: string;
  /** The level of an owner, or the pattern of a reservation. */
  readonly label: string;
  readonly handle: string | null;
  readonly own: number;
  readonly open: number;
  readonly prefix: number;
};

const NONE = sql.lit(0);
const NO_TEXT = sql.lit("");

const STANDING = {
  nuget: defineStatement("standing-nuget", KINDS, (db, given, own) =>
    standingFrom(
      own,
      given,
      partOf(db.selectFrom("nuget_packages").where("lower_id", "=", given.nameKey)),
    ),
  ),
  npm: defineStatement("standing-npm", KINDS, (db, given, own) =>
    standingFrom(
      own,
      given,
      partOf(db.selectFrom("npm_packages").where("name", "=", given.nameKey)),
    ),
  ),
  oci: defineStatement("standing-oci", KINDS, (db, given, own) =>
    standingFrom(
      own,
      given,
      partOf(
        db
          .selectFrom("oci_repositories as r")
          .where("r.name", "=", given.nameKey)
          .where((row) => row.exists(manifestsOf(row.ref("r.id")))),
      ),
    ).unionAll(partOf(ownOrigin(db, given))),
  ),
};

/** An own name of images whose manifests were deleted. */
function ownOrigin(db: Dialect["db"], { nameKey }: Given) {
  return db
    .selectFrom("name_origins as origin")
    .where("origin.protocol", "=", sql.lit("oci"))
    .where("origin.name", "=", nameKey)
    .where("origin.origin", "=", sql.lit("own"));
}

/** Owners, reservations and the holder's right to create names, in one statement. */
function standingFrom(own: Dialect, given: Given, exists: Expression<Part>) {
  return ownerRows(own, given)
    .unionAll(exists)
    .unionAll(reservationRows(own, given))
    .unionAll(accountRows(own, given))
    .unionAll(policyRows(own, given));
}

/** A row that says that the name exists. */
function partOf<DB, TB extends keyof DB>(query: SelectQueryBuilder<DB, TB, object>) {
  return query
    .select([sql.lit("exists").as("kind"), NO_TEXT.as("label"), NO_TEXT.as("handle")])
    .select([NONE.as("own"), NONE.as("open"), NONE.as("prefix")])
    .$castTo<Part>();
}

function ownerRows(own: Dialect, { protocol, nameKey, holderId }: Given) {
  return own.db
    .selectFrom("ownerships as o")
    .leftJoin("host_owner_names as n", "n.owner_id", "o.owner_id")
    .where("o.protocol", "=", protocol)
    .where("o.name_key", "=", nameKey)
    .select([sql.lit("owner").as("kind"), "o.level as label", "n.name as handle"])
    .select((row) => [
      asNumber(isOwnOwner(own, row.ref("o.owner_id"), holderId)).as("own"),
      asNumber(isFullOwner(own, row.ref("o.owner_id"), holderId)).as("open"),
      NONE.as("prefix"),
    ])
    .$castTo<Part>();
}

function reservationRows(own: Dialect, { protocol, nameKey, holderId, candidates }: Given) {
  const { yes } = own;
  return own.db
    .selectFrom("reserved_names as r")
    .where("r.protocol", "=", protocol)
    .where("r.pattern", "in", own.textsIn(candidates))
    .where((row) => row.or([row("r.is_prefix", "=", yes), row("r.pattern", "=", nameKey)]))
    .select([sql.lit("reservation").as("kind"), "r.pattern as label", NO_TEXT.as("handle")])
    .select((row) => [
      asNumber(isOwnOwner(own, row.ref("r.owner_id"), holderId)).as("own"),
      asNumber(row("r.shared", "=", yes)).as("open"),
      asNumber(row("r.is_prefix", "=", yes)).as("prefix"),
    ])
    .$castTo<Part>();
}

function accountRows({ db }: Dialect, { holderId }: Given) {
  return db
    .selectFrom("host_service_accounts as s")
    .where("s.id", "=", holderId)
    .select([sql.lit("maker").as("kind"), NO_TEXT.as("label"), NO_TEXT.as("handle")])
    .select((row) => [
      sql.lit(1).as("own"),
      asNumber(row("s.team_id", "is not", null)).as("open"),
      NONE.as("prefix"),
    ])
    .$castTo<Part>();
}

function policyRows({ db, yes }: Dialect, { holderId }: Given) {
  return db
    .selectFrom("host_publish_policies as p")
    .where("p.id", "=", holderId)
    .select([sql.lit("maker").as("kind"), NO_TEXT.as("label"), NO_TEXT.as("handle")])
    .select((row) => [
      asNumber(row("p.owner_id", "is not", null)).as("own"),
      asNumber(row("p.may_create", "=", yes)).as("open"),
      NONE.as("prefix"),
    ])
    .$castTo<Part>();
}

function asNumber(condition: Expression<SqlBool>) {
  return sql<number>`case when ${condition} then 1 else 0 end`;
}

/** Returns the rights of a holder on a name. */
export async function standingOf(
  queries: Queries,
  { protocol, name }: OwnableName,
  holderId: string,
): Promise<NameStanding> {
  const candidates = [name, ...prefixesOf(protocol, name)];
  const values = { protocol, nameKey: name, holderId, candidates };
  return standingIn(await queries.all(STANDING[protocol], values));
}

function standingIn(parts: readonly Part[]): NameStanding {
  const owners = parts.filter(({ kind }) => kind === "owner");
  const makers = parts.filter(({ kind }) => kind === "maker");
  const own = owners
    .filter((owner) => owner.own === 1)
    .map((owner) => (owner.open === 1 ? levelOf(owner) : lowerLevel(levelOf(owner), "publish")));
  // A policy without an owner is the operators', who decide by its patterns.
  const isOfOperators = makers.some((maker) => maker.own === 0);
  const level = LEVELS.findLast((candidate) => own.includes(candidate));
  const publishers = owners.filter((owner) => levelOf(owner) !== "read");
  return {
    exists: parts.some(({ kind }) => kind === "exists"),
    ...(level ? { level } : isOfOperators && { level: "publish" }),
    owners: publishers.flatMap(({ handle }) => handle ?? []).toSorted(),
    isOwned: owners.length > 0,
    reservation: reservationIn(parts.filter(({ kind }) => kind === "reservation")),
    mayCreate: makers.every(({ open }) => open === 1),
  };
}

function levelOf({ label }: Part): Level {
  return memberOf("level", label, LEVELS);
}

/** The exact name wins over prefixes, and the longest prefix over shorter ones. */
function reservationIn(parts: readonly Part[]): ReservationStanding {
  const exact = parts.filter(({ prefix }) => prefix === 0);
  const longest = Math.max(0, ...parts.map(({ label }) => label.length));
  const closest = exact.length > 0 ? exact : parts.filter(({ label }) => label.length === longest);
  if (closest.length === 0) return "none";
  if (closest.some(({ own }) => own === 1)) return "own";
  return closest.some(({ open }) => open === 1) ? "shared" : "others";
}
