import type { KeptNpmVersion } from "@sealhouse/npm-protocol";
import { sha256Of } from "../blobs/digest.ts";
import { keepContent, keptAt } from "../history/kept-content.ts";
import type { KeptRow, WholeContent } from "../history/kept-content.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { shownSignatures, VERSION_COLUMNS, versionOf } from "./npm-lookup.ts";
import { npmVersions } from "../statements/versions-of.ts";

const WHOLE = defineStatement("npm-version-to-keep", { id: param.whole }, (db, { id }) =>
  db
    .selectFrom("npm_versions as v")
    .innerJoin("blobs as b", "b.id", "v.blob_id")
    .where("v.id", "=", id)
    .select([...VERSION_COLUMNS, shownSignatures(db).as("signatures")]),
);

const WHOLE_NAMED = defineStatement(
  "npm-version-to-hold",
  { name: param.text(255), item: param.text(256) },
  (db, { name, item }) =>
    npmVersions(db, name)
      .innerJoin("blobs as b", "b.id", "v.blob_id")
      .where("v.version", "=", item)
      .select([
        ...VERSION_COLUMNS,
        shownSignatures(db).as("signatures"),
        "v.blob_id",
        "b.digest as blob_digest",
      ]),
);

/** Keeps versions that are unpublished now, for views as of a time. */
export async function keepVersions(
  changes: Changes,
  unit: Unit,
  {
    name,
    leaving,
  }: {
    readonly name: string;
    readonly leaving: readonly { readonly id: number; readonly blobId: number }[];
  },
): Promise<void> {
  if (changes.keepContentMs === 0) return;
  for (const { id, blobId } of leaving) {
    const row = await unit.queries.one(WHOLE, { id });
    if (!row) continue;
    const content = jsonOf(versionOf(row));
    const { version: item, integrity: value } = content;
    await keepContent(changes, unit, { protocol: "npm", name, item, value, content, blobId });
  }
}

function jsonOf({
  isDamaged: _isDamaged,
  publishedAt,
  ...version
}: KeptNpmVersion["version"]): KeptJson {
  return { ...version, publishedAt: publishedAt.getTime() };
}

/** The data of a version for JSON, and its blob. */
export async function wholeVersion(
  queries: Queries,
  named: { readonly name: string; readonly item: string },
): Promise<WholeContent | undefined> {
  const row = await queries.one(WHOLE_NAMED, named);
  return row && { content: jsonOf(versionOf(row)), blobId: row.blob_id, digest: row.blob_digest };
}

/** Returns the versions of a time that were unpublished since and whose tarballs are here. */
export async function keptVersions(
  queries: Queries,
  wanted: {
    readonly name: string;
    readonly time: Date;
    readonly version?: string | undefined;
  },
): Promise<readonly KeptNpmVersion[]> {
  return (await keptAt(queries, { protocol: "npm", ...wanted })).map(keptVersionOf);
}

type KeptJson = Omit<KeptNpmVersion["version"], "publishedAt"> & { readonly publishedAt: number };

/** The version in a kept row. */
export function keptVersionOf(row: KeptRow): KeptNpmVersion {
  const json = JSON.parse(row.content) as KeptJson;
  const damaged = row.damaged_at && { isDamaged: true as const };
  return {
    version: { ...json, publishedAt: new Date(json.publishedAt), ...damaged },
    tarball: {
      key: row.storage_key,
      size: row.size,
      sha256: sha256Of(row.digest),
      ...damaged,
      integrity: json.integrity,
    },
  };
}
