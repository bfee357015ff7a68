import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type {
  NamedBlob,
  NewStagedVersion,
  NpmStaging,
  StagedExpiry,
  StagedVersion,
  Staging,
  StagingTerms,
} from "@sealhouse/npm-protocol";
import { STAGED_MAX, STAGED_PER_PUBLISHER_MAX } from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import type { Changes } from "../transactions/changes.ts";
import {
  countStaged,
  countStagedBy,
  expireStaged,
  insertStaged,
  leave,
  lockStaged,
  lockStagedCount,
  standingStaged,
  claimStaged,
} from "../staging/staged-changes.ts";
import type { StandingStaged } from "../staging/staged-changes.ts";
import { createStagedRows } from "../staging/staged-rows.ts";
import type { StagedRow } from "../staging/staged-rows.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { findVersion, findReservation, publisherOf } from "./npm-rows.ts";

const ANY_EXPIRED = defineStatement(
  "staged-versions-any-expired",
  { now: param.time },
  (db, { now }) =>
    db.selectFrom("staged_versions").where("expires_at", "<=", now).select("id").limit(sql.lit(1)),
);
const NAME = defineStatement("npm-staged-name", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("staged_versions")
    .where("id", "=", id)
    .where("protocol", "=", sql.lit("npm"))
    .select("name"),
);

export function createNpmStaging({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NpmStaging & StagedExpiry {
  const rows = createStagedRows(queries, "npm", changes.now);
  return {
    stage: (version, terms, caller) => stage(changes, { version, terms }, caller),
    reject: (id, caller) => reject(changes, id, caller),
    list: async (name) => (await rows.list(name)).map(stagedVersion),
    async find(id) {
      const row = await rows.find(id);
      return row && { ...stagedVersion(row), blob: row.blob };
    },
    async details(id) {
      const row = await rows.details(id);
      return row && parseDetails(row.details, row.blob);
    },
    async expire(atMost) {
      // Avoids a transaction when nothing has expired.
      if (!(await queries.one(ANY_EXPIRED, { now: changes.now() }))) return 0;
      return expireStaged(changes, atMost);
    },
  };
}

function parseDetails(text: string, blob: NamedBlob): NewStagedVersion {
  const version = JSON.parse(text) as Omit<NewStagedVersion, "blob">;
  return { ...version, blob };
}

function stagedVersion({ summary, ...row }: StagedRow): StagedVersion {
  const { id, name, version, actor, createdAt, expiresAt } = row;
  return { id, name, version, ...parseSummary(summary), actor, createdAt, expiresAt };
}

type StagedSummary = Pick<StagedVersion, "tags" | "integrity" | "shasum">;

/** Formats the column `summary`. */
function formatSummary({ tags, integrity, shasum }: StagedSummary): string {
  return JSON.stringify({ tags, integrity, shasum });
}

function parseSummary(text: string): StagedSummary {
  return JSON.parse(text) as StagedSummary;
}

/** Formats the column `details`, without the blob, which has its own row. */
function formatDetails({ blob: _blob, ...version }: NewStagedVersion): string {
  return JSON.stringify(version);
}

type StageRequest = { readonly version: NewStagedVersion; readonly terms: StagingTerms };

function stage(
  changes: Changes,
  { version, terms }: StageRequest,
  caller: Caller,
): Promise<Staging> {
  const { name, version: number, tags, blob } = version;
  const { stagedAt, expiresAt, perPackage, perPublisher = STAGED_PER_PUBLISHER_MAX } = terms;
  const staged = { protocol: "npm", name } as const;
  return changes.transaction(async (unit) => {
    if (await findVersion(unit, name, number)) return { status: "exists" };
    const reservation = await findReservation(unit, { ...version, publishedAt: stagedAt }, caller);
    if (reservation) return reservation;

    await lockStaged(changes, unit, staged);
    const standing = await standingStaged(changes, unit, staged);
    const same = standing.find((entry) => entry.version === number);
    if (same) return repeated(same, version, caller);
    if (standing.length >= perPackage) return { status: "full" };
    // Versions of other packages count, too; their names have other locks.
    await lockStagedCount(changes, unit, "npm");
    const own = await countStagedBy(unit, { protocol: "npm", caller, now: changes.now() });
    if (own >= perPublisher) return { status: "publisher-full" };
    if ((await countStaged(unit, "npm")) >= STAGED_MAX) return { status: "crowded" };
    const summary = formatSummary(version);
    const details = formatDetails(version);
    const row = { ...staged, version: number, summary, details, createdAt: stagedAt, expiresAt };
    const detail = { tags };
    const inserted = await insertStaged(changes, unit, { ...row, blob }, { caller, detail });
    return { status: "staged", ...inserted };
  });
}

function repeated(
  { id, actor, summary }: StandingStaged,
  version: NewStagedVersion,
  caller: Caller,
): Staging {
  const isSame = actor === publisherOf(caller) && summary === formatSummary(version);
  return isSame ? { status: "replayed", id } : { status: "waiting", id, actor };
}

function reject(changes: Changes, id: string, caller: Caller): Promise<"rejected" | "absent"> {
  return changes.transaction(async (unit) => {
    const row = await unit.queries.one(NAME, { id });
    if (!row) return "absent";
    const staged = { protocol: "npm", name: row.name } as const;
    await lockStaged(changes, unit, staged);
    const claimedVersion = await claimStaged(changes, unit, { ...staged, id });
    if (!claimedVersion) return "absent";
    await leave(changes, unit, [claimedVersion], { type: "package.stage-rejected", caller });
    return "rejected";
  });
}
