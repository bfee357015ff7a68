import { sql } from "#kysely";
import type { NewNpmVersion } from "@sealhouse/npm-protocol";
import type { Caller } from "@sealhouse/request-types";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import { reservedUntil } from "./npm-rows.ts";
import type { ExistingVersion, Reservation } from "./npm-rows.ts";

/** One row with all that decides about a publish. Each table has at most one row for it. */
const STANDING = defineStatement(
  "npm-standing",
  { name: param.text(214), version: param.text(256) },
  (db, { name, version }) =>
    db
      .selectFrom(sql<{ one: number }>`(select 1 as one)`.as("s"))
      .leftJoin("npm_packages as p", (join) => join.on("p.name", "=", name))
      .leftJoin("npm_versions as v", (join) =>
        join.onRef("v.package_id", "=", "p.id").on("v.version", "=", version),
      )
      .leftJoin("npm_tags as t", (join) =>
        join.onRef("t.package_id", "=", "p.id").on("t.tag", "=", sql.lit("latest")),
      )
      .leftJoin("npm_tombstones as d", (join) =>
        join.on("d.name", "=", name).on("d.version", "=", version),
      )
      .leftJoin("npm_removed_names as r", (join) => join.on("r.name", "=", name))
      .leftJoin("name_origins as o", (join) =>
        join.on("o.protocol", "=", sql.lit("npm")).on("o.name", "=", name),
      )
      .select([
        "p.id as package_id",
        "v.id as version_id",
        "v.integrity",
        "v.published_at",
        "v.published_by",
        "v.published_tags",
        "t.version_id as latest_id",
        "d.version as deleted_version",
        "r.removed_at",
        "r.removed_by",
        "o.origin",
      ])
      .select((row) =>
        row
          .selectFrom("npm_tags as c")
          .whereRef("c.package_id", "=", "p.id")
          .select((tags) => tags.fn.countAll<number>().as("total"))
          .as("tags"),
      ),
);

/** Facts about a name and a version that decide about a publish. */
export type Standing = {
  /** The version exists. */
  readonly version?: ExistingVersion;
  /** Prevents the publish. */
  readonly reservation?: Reservation;
  /** Undefined for a new package. */
  readonly packageId?: number;
  readonly hasLatest: boolean;
  /** Number of dist-tags. */
  readonly tags: number;
  readonly origin?: string;
  /** Whether the name was removed and is not yet in use again. */
  readonly isRemoved: boolean;
};

export async function findStanding(
  { queries }: Unit,
  newVersion: NewNpmVersion,
  caller: Caller,
): Promise<Standing> {
  const { name, version } = newVersion;
  const row = await queries.one(STANDING, { name, version });
  if (!row) return { hasLatest: false, tags: 0, isRemoved: false };
  const existing = versionOf(row);
  const reservation = reservationOf(row, newVersion, caller);
  return {
    ...(existing && { version: existing }),
    ...(reservation && { reservation }),
    ...(row.package_id !== null && { packageId: row.package_id }),
    hasLatest: row.latest_id !== null,
    tags: row.tags ?? 0,
    ...(row.origin !== null && { origin: row.origin }),
    isRemoved: row.removed_at !== null,
  };
}

type StandingRow = RowOf<typeof STANDING>;

function versionOf(row: StandingRow): ExistingVersion | undefined {
  const { version_id: id, package_id: packageId, integrity, published_at: publishedAt } = row;
  const { published_by: publishedBy, published_tags: publishedTags } = row;
  if (id === null || packageId === null || integrity === null || publishedAt === null) {
    return undefined;
  }
  if (publishedBy === null || publishedTags === null) return undefined;
  return { id, packageId, integrity, publishedAt, publishedBy, publishedTags };
}

function reservationOf(
  row: StandingRow,
  newVersion: NewNpmVersion,
  caller: Caller,
): Reservation | undefined {
  if (row.deleted_version !== null) return { status: "deleted" };
  const { removed_at: removedAt, removed_by: removedBy } = row;
  if (removedAt === null || removedBy === null) return undefined;
  return reservedUntil({ removed_at: removedAt, removed_by: removedBy }, newVersion, caller);
}
