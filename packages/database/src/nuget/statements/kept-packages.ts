import type { KeptPackage } from "@sealhouse/nuget-protocol";
import { keepContent, keptAt } from "../../history/kept-content.ts";
import type { KeptRow, WholeContent } from "../../history/kept-content.ts";
import { param } from "../../statements/kinds.ts";
import type { Queries } from "../../statements/queries.ts";
import { defineStatement } from "../../statements/statement.ts";
import type { RowOf } from "../../statements/typed-statement.ts";
import type { Changes } from "../../transactions/changes.ts";
import type { Unit } from "../../transactions/unit-of-work.ts";
import { RECORD, recordOf, storedOf } from "./package-lookup.ts";
import type { VersionForUpdate, VersionNames } from "./version-for-update.ts";
import { nugetVersions } from "../../statements/versions-of.ts";

const COLUMNS = [
  ...RECORD,
  "v.nuspec",
  "v.seal_plan",
  "v.seal_fingerprint",
  "v.seal_size",
  "v.seal_signed_at",
  "b.digest",
] as const;

const WHOLE = defineStatement("nuget-version-to-keep", { id: param.whole }, (db, { id }) =>
  db
    .selectFrom("nuget_versions as v")
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .where("v.id", "=", id)
    .select(COLUMNS),
);
const WHOLE_NAMED = defineStatement(
  "nuget-version-to-hold",
  { name: param.text(128), item: param.text(256) },
  (db, { name, item }) =>
    nugetVersions(db, name)
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .where("v.lower_version", "=", item)
      .select([...COLUMNS, "v.blob_id"]),
);

type WholeRow = RowOf<typeof WHOLE>;

/** A row as JSON: bytes in base64, times in milliseconds. */
type KeptJson = Omit<WholeRow, "published_at" | "nuspec" | "seal_plan" | "seal_signed_at"> & {
  readonly published_at: number;
  readonly nuspec: string;
  readonly seal_plan: string | null;
  readonly seal_signed_at: number | null;
};

/** Keeps a version that is deleted or replaced now, for views as of a time. */
export async function keepPackage(
  changes: Changes,
  unit: Unit,
  lost: { readonly names: VersionNames; readonly storedVersion: VersionForUpdate },
): Promise<void> {
  if (changes.keepContentMs === 0) return;
  const { names, storedVersion } = lost;
  const row = await unit.queries.one(WHOLE, { id: storedVersion.id });
  if (!row) return;
  await keepContent(changes, unit, {
    protocol: "nuget",
    name: names.lowerId,
    item: names.lowerVersion,
    value: row.digest,
    content: jsonOf(row),
    blobId: storedVersion.blobId,
  });
}

/** Returns the versions of a time that were deleted or replaced since and whose bytes are here. */
export async function keptPackages(
  queries: Queries,
  {
    id,
    time,
    version,
  }: { readonly id: string; readonly time: Date; readonly version?: string | undefined },
): Promise<readonly KeptPackage[]> {
  const rows = await keptAt(queries, { protocol: "nuget", name: id, time, version });
  return rows.map(keptPackageOf);
}

/** The data of a version for JSON, and its blob. */
export async function wholePackage(
  queries: Queries,
  named: { readonly name: string; readonly item: string },
): Promise<WholeContent | undefined> {
  const row = await queries.one(WHOLE_NAMED, named);
  if (!row) return undefined;
  const { blob_id: blobId, ...whole } = row;
  return { content: jsonOf(whole), blobId, digest: whole.digest };
}

/** The version in a kept row. */
export function keptPackageOf({ content, ...blob }: KeptRow): KeptPackage {
  const kept = rowOf(JSON.parse(content) as KeptJson);
  return { record: recordOf(kept), stored: storedOf({ ...kept, ...blob }) };
}

function jsonOf(row: WholeRow): KeptJson {
  const { nuspec, seal_plan: plan, seal_signed_at: signedAt } = row;
  return {
    ...row,
    published_at: row.published_at.getTime(),
    nuspec: Buffer.from(nuspec).toString("base64"),
    seal_plan: plan && Buffer.from(plan).toString("base64"),
    seal_signed_at: signedAt && signedAt.getTime(),
  };
}

function rowOf(json: KeptJson): WholeRow {
  const { nuspec, seal_plan: plan, seal_signed_at: signedAt } = json;
  return {
    ...json,
    published_at: new Date(json.published_at),
    nuspec: Buffer.from(nuspec, "base64"),
    seal_plan: plan === null ? null : Buffer.from(plan, "base64"),
    seal_signed_at: signedAt === null ? null : new Date(signedAt),
  };
}
