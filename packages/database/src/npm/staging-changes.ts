import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import type { NewStagedVersion, NpmStaging, Staging, StagingTerms } from "@sealhouse/npm-protocol";
import { STAGED_MAX } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import {
  countStaged,
  insertStaged,
  leave,
  lockStaged,
  standingStaged,
  takeStaged,
} from "../staging/staged-changes.ts";
import type { StandingStaged } from "../staging/staged-changes.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import { findVersion, findReservation, publisherOf } from "./npm-rows.ts";
import { formatDetails, formatSummary } from "./staged-texts.ts";

export type NpmStagingChanges = Pick<NpmStaging, "stage" | "reject">;

export function createNpmStagingChanges(changes: Changes): NpmStagingChanges {
  return {
    stage: (version, terms, caller) => stage(changes, { version, terms }, caller),
    reject: (id, caller) => reject(changes, id, caller),
  };
}

type Given = { readonly version: NewStagedVersion; readonly terms: StagingTerms };

function stage(changes: Changes, { version, terms }: Given, caller: Caller): Promise<Staging> {
  const { name, version: number, tags, blob } = version;
  const { stagedAt, expiresAt, perPackage } = terms;
  const staged = { protocol: "npm", name } as const;
  return changes.transaction(async (unit) => {
    if (await findVersion(unit, name, number)) return { status: "exists" };
    const reservation = await findReservation(unit, { ...version, publishedAt: stagedAt }, caller);
    if (reservation) return reservation;

    await lockStaged(changes, unit, staged);
    const standing = await standingStaged(changes, unit, staged);
    const same = standing.find((one) => one.version === number);
    if (same) return repeated(same, version, caller);
    if (standing.length >= perPackage) return { status: "full" };
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

const NAME = defineStatement("npm-staged-name", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("staged_versions")
    .where("id", "=", id)
    .where("protocol", "=", sql.lit("npm"))
    .select("name"),
);

function reject(changes: Changes, id: string, caller: Caller): Promise<"rejected" | "absent"> {
  return changes.transaction(async (unit) => {
    const row = await unit.queries.one(NAME, { id });
    if (!row) return "absent";
    const staged = { protocol: "npm", name: row.name } as const;
    await lockStaged(changes, unit, staged);
    const found = await takeStaged(changes, unit, { ...staged, id });
    if (!found) return "absent";
    await leave(changes, unit, [found], { type: "package.stage-rejected", caller });
    return "rejected";
  });
}
